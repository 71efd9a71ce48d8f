import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { AccessContext, check, clientOf, holderOf, keepToken, keptToken, REFUSED, type Access, type Holder } from "./access.ts";
import { OperatorFrame, SessionFrame } from "./frame.tsx";
import { partsOf, Waiting } from "./parts/loading.tsx";
import { Notices } from "./parts/notices.tsx";
import { Text } from "./parts/text.tsx";
import { placeOf, sessionHref, type Place } from "./routes.ts";
import { SignIn } from "./signin.tsx";

export function App() {
  const [access, setAccess] = useState<Access>();
  const [reason, setReason] = useState<string>();
  const [resuming, setResuming] = useState(keptToken() !== undefined);
  const place = usePlace();

  async function signIn(token: string, keep: boolean): Promise<void> {
    const holder = holderOf(token);
    let signedIn = false;
    const signOut = (why?: string) => {
      if (!signedIn) return;
      signedIn = false;
      keepToken(undefined);
      setReason(why);
      setAccess(undefined);
    };
    const client = clientOf(token, () => signOut(REFUSED));
    await check(client, holder);
    signedIn = true;
    keepToken(keep ? token : undefined);
    setReason(undefined);
    setAccess({ holder, client, signOut });
  }

  useEffect(() => {
    const token = keptToken();
    if (token === undefined) return;
    signIn(token, true)
      .catch((error: unknown) => {
        const { code, message } = partsOf(error);
        // After other errors, a reload may succeed.
        if (code === "UNAUTHENTICATED") keepToken(undefined);
        setReason(code === "UNAUTHENTICATED" ? REFUSED : message);
      })
      .finally(() => setResuming(false));
  }, []);

  return (
    <Notices key={access ? "in" : "out"}>
      <a class="skip" href="#main" onClick={skip}>Skip to the content</a>
      {access ? (
        <AccessContext.Provider value={access}>
          <Bar access={access} />
          <Content place={placeFor(access.holder, place)} />
        </AccessContext.Provider>
      ) : (
        <main id="main" tabIndex={-1}>{resuming ? <Waiting what="Signing in…" /> : <SignIn signIn={signIn} reason={reason} />}</main>
      )}
    </Notices>
  );
}

function skip(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

/** The place that the address names. */
function usePlace(): Place {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const moved = () => setHash(location.hash);
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);
  return useMemo(() => placeOf(hash), [hash]);
}

/** A session token only leads into its session. */
function placeFor(holder: Holder, place: Place): Place {
  if (holder.kind === "operator" || place.session === holder.session) return place;
  return { session: holder.session, view: "", query: new URLSearchParams() };
}

function Bar({ access: { holder, signOut } }: { access: Access }) {
  return (
    <header class="bar">
      <a class="brand" href={holder.kind === "operator" ? "#/" : sessionHref(holder.session)}>Snapshotter</a>
      <p class="holder">
        {holder.kind === "operator" ? "Operator" : <>
          <span class="wide">Token for <Text>{holder.session}</Text>: </span>{holder.scopes.join(", ") || "no scopes"}
          <span class="wide">, until <time dateTime={holder.expiresAt.toISOString()}>{holder.expiresAt.toLocaleString()}</time></span>
        </>}
      </p>
      <button type="button" class="quiet" onClick={() => signOut()}>Sign out</button>
    </header>
  );
}

/** The content of a place. After a move, the keyboard and the screen reader begin here. */
function Content({ place }: { place: Place }) {
  const moves = useRef(0);
  useEffect(() => {
    if (moves.current++ > 0) document.getElementById("main")?.focus();
    scrollTo(0, 0);
  }, [place.session, place.view]);
  return place.session === undefined ? <OperatorFrame place={place} /> : <SessionFrame key={place.session} name={place.session} place={place} />;
}
