/** This is a separate file so that the bundler includes only the languages named here, not the other hundred and fifty. */

import { common, createLowlight } from "lowlight";

export const lowlight = createLowlight(common);
