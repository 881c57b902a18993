// What the scripts use that no module exports: htmx, which is loaded before them.

interface HtmxDetail {
  xhr: XMLHttpRequest;
  elt: HTMLElement;
  target: HTMLElement;
  headers: Record<string, string>;
  parameters: Record<string, string>;
  requestConfig: { verb: string; path: string; elt: HTMLElement; triggeringEvent?: Event };
  shouldSwap: boolean;
  isError: boolean;
}

declare const htmx: {
  ajax(
    verb: "GET" | "POST",
    path: string,
    context: { target: Element; source?: Element; swap?: string; values?: Record<string, string> },
  ): Promise<void>;
  process(element: Element): void;
  trigger(element: Element, event: string): void;
};
