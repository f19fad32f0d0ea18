import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { onTestFinished, vi } from 'vitest'
import { clock } from '#shared/core/clock.ts'
import { serviceAddress } from '#shared/core/service-address.ts'
import type { SealedLog } from '#shared/seal/log/sealed-log.ts'
import { parseVerifierKey, type VerifierKey } from '#shared/seal/notes/signed-note.ts'
import { verifierKey } from '#shared/seal/notes/signing-key.ts'
import { sealers } from '#shared/seal/sealing/seal-logs.ts'
import { Lease, readSealedLog } from '#shared/seal/sealing/sealed-state.ts'
import { table } from '#shared/table/table.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'

const address = 'https://access.example.com'

export type SealWorld = {
  folder: string
  address: string
  key(): Promise<VerifierKey>
  paths(): string[]
  read(path: string): string
  write(path: string, content: string | Buffer): void
}

function writeKeyFile(path: string): void {
  const { privateKey } = generateKeyPairSync('ed25519')
  writeFileSync(path, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 })
}

/** Configures an empty seal folder and a new key for the current test. */
export function sealWorld(): SealWorld {
  const dir = mkdtempSync(join(tmpdir(), 'seal-test-'))
  const folder = join(dir, 'seal')
  writeKeyFile(join(dir, 'key'))
  vi.stubEnv('SEAL_FOLDER', folder)
  vi.stubEnv('SEAL_KEY_FILE', join(dir, 'key'))
  vi.stubEnv('SERVICE_URL', address)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    rmSync(dir, { recursive: true, force: true })
  })
  return {
    folder,
    address,
    key: () => verifierKey(address),
    paths: () =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
        .sort(),
    read: (path) => readFileSync(join(folder, path), 'utf8'),
    write: (path, content) => writeFileSync(join(folder, path), content),
  }
}

/**
 * Seals an account's log as a scheduled run does.
 * @throws Error if another run holds the lease, or if the sealing fails
 */
export async function sealNow(
  account: string,
  log: SealedLog = 'changes',
  deadline = Date.now() + 60_000,
): Promise<void> {
  const lease = await Lease.take(account, log)
  if (!lease) throw new Error('Another run has the log.')
  try {
    await sealers[log]({ account, log, address: serviceAddress(), lease }, deadline)
  } finally {
    await lease.end()
  }
}

/**
 * Reads the sealed state of a log.
 * @throws Error if nothing is sealed
 */
export async function sealedState(account: string, log: SealedLog = 'changes') {
  const { state } = await readSealedLog(account, log)
  if (!state) throw new Error('Nothing is sealed.')
  return { ...state, key: parseVerifierKey(state.verifier_key) }
}

/**
 * Calls `before` ahead of each object write, and ahead of each item put with the item as its argument. Returns a function that removes the
 * interception.
 */
export function beforeWrites(before: (item?: Record<string, unknown>) => unknown): () => void {
  const { promises } = process.getBuiltinModule('node:fs')
  const [_send, writeFile] = [table().send.bind(table()), promises.writeFile.bind(promises)]
  const spies = [
    interceptTable(async (command, send) => {
      if (command instanceof PutCommand) await before(command.input.Item)
      return send(command)
    }),
    vi.spyOn(promises, 'writeFile').mockImplementation(async (...of) => {
      await before()
      await writeFile(...of)
    }),
  ]
  return () => {
    for (const spy of spies) spy.mockRestore()
  }
}

const now = clock.now.bind(clock)
let shift = 0

/** Advances the service's clock for the rest of the test. */
export function advanceMinutes(minutes: number): void {
  shift += minutes * 60_000_000
  const spy = vi.spyOn(clock, 'now').mockImplementation(() => now() + shift)
  onTestFinished(() => {
    shift = 0
    spy.mockRestore()
  })
}
