/** Waits for both at once. Where both fail, the error of the first is thrown, whichever came sooner. */
export async function sideBySide<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  second.catch(() => undefined)
  return [await first, await second]
}
