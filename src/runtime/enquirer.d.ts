// The package types its facade only; loading one prompt file is also quicker than loading all of them.
declare namespace EnquirerFiles {
  interface Key {
    readonly name?: string;
    readonly ctrl?: boolean;
  }
  interface Options {
    readonly name: string;
    readonly message: string;
    readonly stdin: unknown;
    readonly stdout: unknown;
    readonly hint?: string | (() => string);
    readonly prefix?: string;
    readonly initial?: string;
    readonly choices?: readonly { readonly name: string; readonly message: string }[];
    readonly validate?: (value: unknown) => true | string;
  }
  interface Prompt {
    run(): Promise<unknown>;
    cancel(): Promise<void>;
    on(event: 'keypress', listener: (text: unknown, key: Key) => void): void;
    once(event: 'start' | 'close', listener: () => void): void;
    removeListener(event: 'close', listener: () => void): void;
    /** What was typed so far, and where the cursor stands in it; of prompts for text. */
    input: string;
    cursor: number;
    /** Called by Ctrl-U. */
    undo: () => unknown;
    /** Called by Ctrl-E, Home and End. */
    last: () => unknown;
    home: () => unknown;
    end: () => unknown;
    /** Called with typed and pasted text. */
    append: (text: string) => unknown;
    render(): unknown;
    /** What stands after the message, with colours. */
    format: () => unknown;
    readonly state: { readonly submitted?: boolean };
    /** Called by Enter. */
    submit: () => unknown;
    /** Called with a key that has no meaning of its own. */
    dispatch: (text: string | undefined, key: Key) => unknown;
    /** Rings the bell. */
    alert(): unknown;
    /** Lets go of the terminal; there once the prompt has started. */
    readonly stop?: () => void;
  }
  interface Choice {
    readonly name: string;
  }
  interface ListPrompt extends Prompt {
    /** What is shown, and the place of the marked one in it. */
    choices: readonly Choice[];
    index: number;
    readonly focused?: Choice;
    readonly state: { readonly _choices?: readonly Choice[]; limit: number | undefined; readonly submitted?: boolean };
    /** Called with a digit, a blank, Backspace and the arrow keys. */
    number: (digit: string) => unknown;
    space: () => unknown;
    /** Called by Ctrl-L. */
    reset: () => unknown;
    delete: () => unknown;
    up: () => unknown;
    down: () => unknown;
  }
  type PromptClass = new (options: Options) => Prompt;
  type ListPromptClass = new (options: Options) => ListPrompt;
}

declare module 'enquirer/lib/prompts/input.js' {
  const Input: EnquirerFiles.PromptClass;
  export default Input;
}
declare module 'enquirer/lib/prompts/password.js' {
  const Password: EnquirerFiles.PromptClass;
  export default Password;
}
declare module 'enquirer/lib/prompts/select.js' {
  const Select: EnquirerFiles.ListPromptClass;
  export default Select;
}
