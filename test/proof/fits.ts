/** True where each field of a fake is one of the provider's own type, and of its kind. */
export type Fits<Fake, Theirs> = [Exclude<keyof Fake, keyof Theirs>] extends [never]
  ? Fake extends Theirs
    ? true
    : false
  : false
