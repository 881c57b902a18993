// Passkeys: <form data-passkey="create|get"> asks the browser for one, and is sent with it. The options of the server
// are on the page, or at the address in data-options-at.
import { all, maybe, one } from "./dom.js";
import { say } from "./text/say.js";

for (const form of all("form[data-passkey]", document, HTMLFormElement)) {
  const credential = one("input[name=credential]", form, HTMLInputElement);
  const problem = one("[data-passkey-failed]", form);
  form.addEventListener("submit", async (event) => {
    if (credential.value) return;
    event.preventDefault();
    problem.hidden = true;
    try {
      credential.value = JSON.stringify(await ask(form, await optionsFor(form)));
      form.submit();
    } catch (error) {
      problem.textContent = wordsOf(error);
      problem.hidden = false;
    }
  });
}

/**
 * @param {HTMLFormElement} form
 * @returns {Promise<any>} the options as the server wrote them, in JSON
 */
async function optionsFor(form) {
  const elsewhere = form.dataset.optionsAt;
  if (!elsewhere) {
    const options = JSON.parse(one("#passkey-options").textContent ?? "");
    return options.creation_options ?? options.request_options;
  }
  const answer = await fetch(elsewhere, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(say("The server answered {status}.", { status: answer.status }));
  return (await answer.json()).request_options;
}

/**
 * @param {HTMLFormElement} form
 * @param {any} options
 * @returns {Promise<object>} the credential, as the server reads it
 */
async function ask(form, options) {
  const publicKey = options.publicKey;
  publicKey.challenge = bytes(publicKey.challenge);
  for (const known of [...(publicKey.excludeCredentials ?? []), ...(publicKey.allowCredentials ?? [])]) {
    known.id = bytes(known.id);
  }
  if (form.dataset.passkey === "get") return written(await navigator.credentials.get({ publicKey }));
  publicKey.user.id = bytes(publicKey.user.id);
  const isAlone = maybe("input[name=passwordless]", form, HTMLInputElement)?.checked ?? false;
  Object.assign(publicKey.authenticatorSelection, {
    residentKey: isAlone ? "required" : "discouraged",
    requireResidentKey: isAlone,
    ...(isAlone ? { userVerification: "required" } : {}),
  });
  return written(await navigator.credentials.create({ publicKey }));
}

/**
 * @param {Credential | null} credential
 * @returns {object}
 */
function written(credential) {
  if (!(credential instanceof PublicKeyCredential)) throw new Error(say("The browser gave no passkey."));
  const { response } = credential;
  /** @type {Record<string, string>} */
  const parts = { clientDataJSON: text(response.clientDataJSON) };
  if (response instanceof AuthenticatorAttestationResponse) parts.attestationObject = text(response.attestationObject);
  if (response instanceof AuthenticatorAssertionResponse) {
    parts.authenticatorData = text(response.authenticatorData);
    parts.signature = text(response.signature);
    if (response.userHandle) parts.userHandle = text(response.userHandle);
  }
  return {
    id: credential.id,
    rawId: text(credential.rawId),
    type: credential.type,
    response: parts,
    clientExtensionResults: credential.getClientExtensionResults(),
  };
}

/** @param {string} base64url @returns {Uint8Array<ArrayBuffer>} */
function bytes(base64url) {
  const plain = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (character) => character.charCodeAt(0));
}

/** @param {ArrayBuffer} buffer @returns {string} base64url */
function text(buffer) {
  const plain = String.fromCharCode(...new Uint8Array(buffer));
  return btoa(plain).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {unknown} error @returns {string} */
function wordsOf(error) {
  if (!navigator.credentials) return say("This browser has no passkeys, or the site is not reached by https://.");
  if (error instanceof DOMException && error.name === "NotAllowedError") {
    return say("No passkey was used: it was cancelled, or took too long. Nothing was changed.");
  }
  return say("The passkey could not be used. {why}", { why: error instanceof Error ? error.message : "" });
}
