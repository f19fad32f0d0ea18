/** Waits for both at once. @throws the error of the first where both fail */
export async function sideBySide<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  second.catch(() => undefined)
  return [await first, await second]
}
