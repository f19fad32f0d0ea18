import { readFile, writeFile } from 'node:fs/promises'

/**
 * Writes a document generated from code. With `--check`, compares it with the existing file instead, and sets exit code 1 if they differ.
 */
export async function deriveFile(path: string, text: string): Promise<void> {
  const file = new URL(`../../${path}`, import.meta.url)
  if (!process.argv.includes('--check')) return writeFile(file, text)
  if ((await readFile(file, 'utf8').catch(() => '')) === text) return
  process.stderr.write(`${path} is stale: run \`npm run fix\`.\n`)
  process.exitCode = 1
}
