import { readFile, writeFile } from 'node:fs/promises'
import { breaches } from './breaches.ts'
import { contractOfNow, type TemplateContract } from './contract.ts'

const file = new URL('./last-release.json', import.meta.url)

/** The contract of the templates of the last release. */
export const lastRelease = async (): Promise<TemplateContract> => JSON.parse(await readFile(file, 'utf8'))

/** Makes the templates of now those of the last release. Answers what that breaks in deployments of before. */
export async function renewLastRelease(): Promise<string[]> {
  const now = await contractOfNow()
  const broken = breaches(await lastRelease().catch(() => ({ stacks: {}, terminationProtection: [], routes: {} })), now)
  await writeFile(file, `${JSON.stringify(now, null, 2)}\n`)
  return broken
}
