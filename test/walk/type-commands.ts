import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { delimiter, dirname } from 'node:path'
import type { Service } from '#test/support/service/service.ts'

export function documentCommands(document: string): string {
  const text = readFileSync(new URL(`../../docs/${document}`, import.meta.url), 'utf8')
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block).join('\n')
}

/** Returns the commands of the walk without its last step, which moves the clock. */
export function walkSteps(): string {
  const commands = documentCommands('walk.md')
  return commands.slice(0, commands.indexOf('COUNTERS='))
}

/** Extracts the commands of the start screen, and replaces the data directory with `dir`. */
export const screenCommands = ({ output, dataDir }: Service, dir = dataDir): string =>
  (output().match(/^ {4}(TOKEN=|curl ).*$/gm) ?? [])
    .map((line) => `${line.trim().replaceAll(dataDir, dir).replace('curl ', "curl -sS -w '\\n' ")}\n`)
    .join('')

/** Passes commands to a shell through its standard input, as if they were typed. */
export async function typed(shell: [string, ...string[]], text: string, dir: string) {
  const [command, ...args] = shell
  const child = spawn(command, args, {
    env: { PATH: [dirname(process.execPath), process.env.PATH].join(delimiter), DATA_DIR: dir, PS1: '', PS2: '' },
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk
  })
  child.stdin.end(text)
  await once(child, 'close')
  return output
}

export const has = (command: string) => spawnSync(command, ['--version']).error === undefined

/** Shells to test. An interactive zsh, the default on macOS, does not accept comments, and prints background jobs on stderr. */
export const shells: [string, ...string[]][] = [
  ['sh'],
  has('zsh') ? ['zsh', '-f', '-i', '-o', 'no_prompt_sp', '-o', 'no_prompt_cr'] : ['sh'],
]
