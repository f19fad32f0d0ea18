/** Something that is asked for once and kept; a request that failed is made again by the next who asks. */
export function remembered<T>(ask: () => Promise<T>): { get(): Promise<T>; forget(): void } {
  let held: Promise<T> | undefined
  return {
    get() {
      if (held) return held
      const asked = ask()
      held = asked
      asked.catch(() => {
        if (held === asked) held = undefined
      })
      return asked
    },
    forget() {
      held = undefined
    },
  }
}
