// Text that earlier pages of this draft could not send to the server before they were closed or killed: this browser kept
// it, and this page goes on with it.
import { one } from "../dom.js";
import { clock } from "../text/clock.js";
import { mergeFields } from "../text/merge.js";
import { say } from "../text/say.js";

/** @typedef {import("../text/merge.js").Content} Content */
/** @typedef {import("./mirror.js").Copy} Copy */

export class KeptCopies {
  #draft;
  #form;
  #alerts;
  #conflict;
  #onUnseen;

  /**
   * @param {import("./draft.js").Draft} draft
   * @param {import("./form.js").DeskForm} form
   * @param {import("./alerts.js").Alerts} alerts
   * @param {import("./conflict.js").Conflict} conflict
   * @param {(names: string[]) => void} onUnseen Fields were put back that nobody has looked at since they were filled
   */
  constructor(draft, form, alerts, conflict, onUnseen) {
    this.#draft = draft;
    this.#form = form;
    this.#alerts = alerts;
    this.#conflict = conflict;
    this.#onUnseen = onUnseen;
  }

  /** Puts what the copies hold into the form, the newest first, and saves it. A copy goes once the server has its text. */
  async bringBack() {
    for (const [key, copy] of await this.#draft.mirror.left()) {
      const saved = this.#draft.base;
      const isStored = await this.#finishSave(copy, saved);
      await this.#merge(isStored && copy.sent ? { ...copy, base: copy.sent.content } : copy, saved);
      this.#onUnseen(copy.unseen ?? []);
      this.#draft.orphans.push(key);
    }
    if (this.#draft.orphans.length && await this.#draft.save()) this.#draft.forgetOrphans();
  }

  /**
   * Finishes the save that the earlier page was waiting for. If this page was sent before that save was done, it takes
   * its text over.
   * @param {Copy} copy
   * @param {Content} saved What this page was sent with
   * @returns {Promise<boolean>} whether the server has it: what the earlier page held is then newer
   */
  async #finishSave({ sent, version, at }, saved) {
    const became = sent ? await this.#draft.finish(sent, version) : 0;
    if (!sent || became <= this.#draft.version) return became > 0;
    const { taken, clashing } = mergeFields(this.#draft.base, this.#form.read(), sent.content);
    if (clashing.length) return true; // the next save is refused as stale, and the person decides
    this.#putBack(taken, at, saved);
    this.#draft.acknowledge(became, sent.content);
    this.#alerts.dismiss("changed");
    return true;
  }

  /**
   * Resolves once every difference of the copy is decided.
   * @param {Copy} copy
   * @param {Content} saved
   * @returns {Promise<void>}
   */
  #merge(copy, saved) {
    // A copy without a base, made at the same version: this page shows that base.
    const base = copy.base ?? (copy.version === this.#draft.version ? saved : null);
    const { taken, clashing } = mergeFields(base, this.#form.read(), copy.content);
    this.#putBack(taken, copy.at, saved);
    if (!clashing.length) return Promise.resolve();
    return new Promise((resolve) => {
      this.#conflict.show(clashing, copy.content, {
        words: say("This browser kept text that had not reached the server, and the draft has since been saved elsewhere. Nothing is lost: choose for each field."),
        other: say("Kept in this browser"),
        onDecided: resolve,
      });
    });
  }

  /**
   * Says what was put back, and how to have the saved version instead.
   * @param {Content} taken
   * @param {number} at When it was kept
   * @param {Content} saved
   */
  #putBack(taken, at, saved) {
    this.#form.apply(taken);
    if (!Object.keys(taken).length) return;
    const shown = this.#alerts.show("restored");
    one("[data-when]", shown).textContent = say("at {time}", { time: clock(at) });
    one("[data-undoes-restore]", shown).onclick = () => {
      this.#form.apply(saved);
      this.#alerts.dismiss("restored");
    };
  }
}
