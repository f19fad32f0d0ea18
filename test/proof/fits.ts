/** True if the provider's own type has each field of the fake, with a compatible type. */
export type Fits<Fake, Theirs> = [Exclude<keyof Fake, keyof Theirs>] extends [never]
  ? Fake extends Theirs
    ? true
    : false
  : false
