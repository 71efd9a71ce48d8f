/** In a file of its own, from which the bundler takes only what is named here: not the other hundred and fifty languages. */

import { common, createLowlight } from "lowlight";

export const lowlight = createLowlight(common);
