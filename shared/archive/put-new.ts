import { archiveStore } from '../core/aws/object-store.ts'

/**
 * Puts an object if none is stored under the path. Returns the stored content, which can be that of an interrupted or concurrent run.
 * @throws Error if a concurrent run has put an object that cannot be read yet; the next flush continues
 */
export async function putNew(path: string, content: Buffer): Promise<Buffer> {
  if (await archiveStore().put(path, content, null)) return content
  const stored = await archiveStore().get(path)
  if (!stored) throw new Error(`The object ${path} was written concurrently, and cannot be read yet.`)
  return stored.content
}
