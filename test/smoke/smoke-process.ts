import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'

const repositoryRoot = fileURLToPath(new URL('../../', import.meta.url))

/** Starts the smoke test as npm does, without the environment variables of the test run. */
export function startSmoke(args: string[], variables: Record<string, string> = {}) {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, ['infra/smoke/smoke.ts', ...args], {
    cwd: repositoryRoot,
    env: { PATH, HOME, ...variables },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const printed = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => {
    printed.stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    printed.stderr += chunk
  })
  const closed = once(child, 'close')
  return {
    child,
    async printed(text: string | RegExp): Promise<void> {
      const holds = () => {
        if (child.exitCode !== null) throw new Error(`It has ended: ${printed.stdout}${printed.stderr}`)
        if (!(printed.stdout + printed.stderr).match(text)) throw new Error(`Not printed yet: ${text}`)
      }
      await vi.waitFor(holds, { timeout: 60_000, interval: 10 })
    },
    async ended() {
      const [code] = (await closed) as [number | null]
      const lines = printed.stdout.split('\n').filter((line) => /^(ok|failed|skipped) /.test(line))
      const outcomes = Object.fromEntries(
        lines.map((line) => {
          const [outcome = '', step = ''] = line.split(/\s+/)
          return [step, outcome]
        }),
      )
      return { code, ...printed, lines, outcomes }
    },
  }
}

/** Runs the smoke test until it exits, with an empty standard input. */
export function runSmoke(args: string[], variables: Record<string, string> = {}) {
  const smoke = startSmoke(args, variables)
  smoke.child.stdin.end()
  return smoke.ended()
}

export async function mailedPasscode(dataDir: string, address: string): Promise<string> {
  const folder = join(dataDir, 'mails')
  return vi.waitFor(
    () => {
      const names = existsSync(folder) ? readdirSync(folder).sort() : []
      const mail = names
        .map((name) => readFileSync(join(folder, name), 'utf8'))
        .findLast((text) => text.includes(address))
      const passcode = mail && /^ {4}(\w{6})$/m.exec(mail)?.[1]
      if (!passcode) throw new Error(`No mail to ${address} yet.`)
      return passcode
    },
    { timeout: 60_000 },
  )
}
