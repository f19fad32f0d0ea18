import { readFile, writeFile } from 'node:fs/promises'

/** Writes a document generated from code. With `--check`, fails if the existing file differs instead. */
export async function deriveFile(path: string, text: string): Promise<void> {
  const file = new URL(`../../${path}`, import.meta.url)
  if (!process.argv.includes('--check')) return writeFile(file, text)
  if ((await readFile(file, 'utf8').catch(() => '')) === text) return
  process.stderr.write(`${path} is stale: run \`npm run fix\`.\n`)
  process.exitCode = 1
}
