import { readFile, writeFile } from 'node:fs/promises'

/** Writes a document that follows from the code, or with `--check` fails when the one that is there is another. */
export async function deriveFile(path: string, text: string): Promise<void> {
  const file = new URL(`../../${path}`, import.meta.url)
  if (!process.argv.includes('--check')) return writeFile(file, text)
  if ((await readFile(file, 'utf8').catch(() => '')) === text) return
  process.stderr.write(`${path} is stale: run \`npm run fix\`.\n`)
  process.exitCode = 1
}
