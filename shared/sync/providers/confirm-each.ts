/**
 * Asks for users one by one. What is known of one is kept, so that a call that was held back in the middle goes on when it is
 * made again.
 */
export function confirmEach(isKnown: (idpId: string) => Promise<boolean>): (idpIds: string[]) => Promise<string[]> {
  const known = new Map<string, boolean>()
  return async (idpIds) => {
    for (const id of idpIds) if (!known.has(id)) known.set(id, await isKnown(id))
    return idpIds.filter((id) => known.get(id))
  }
}
