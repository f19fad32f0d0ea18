/** True if each field of a fake exists in the provider's own type, with a compatible type. */
export type Fits<Fake, Theirs> = [Exclude<keyof Fake, keyof Theirs>] extends [never]
  ? Fake extends Theirs
    ? true
    : false
  : false
