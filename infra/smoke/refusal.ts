/** Bad input of the smoke test: one sentence, exit code 2, and nothing was created. */
export class Refusal extends Error {}
