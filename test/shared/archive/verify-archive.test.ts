import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { handler as archiveStatus } from '#functions/tasks/archive-status.ts'
import { handler as verifyArchive } from '#functions/tasks/verify-archive.ts'
import { flushAccount } from '#shared/archive/flush-account.ts'
import { env } from '#shared/core/env.ts'
import { parseVerifierKey, verifierKeyText } from '#shared/seal/notes/signed-note.ts'
import { changeSites, newSealedAccount } from '#test/support/seal/sealed-account.ts'
import { advanceMinutes, sealNow } from '#test/support/seal/sealing.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

type Result = { data?: Record<string, unknown> & { findings: { at: string; problem: string }[] }; error?: unknown }

/** Flushes and seals `hours` hours of an account, each with changes and API requests. */
async function newArchive(hours: number) {
  const { account, checkpoint } = await newSealedAccount()
  for (let hour = 0; hour < hours; hour++) {
    await changeSites(account.id, 2)
    advanceMinutes(80)
    for (const log of ['changes', 'activity'] as const) await sealNow(account.id, log)
    await flushAccount(account.id, Number.POSITIVE_INFINITY)
    await sealNow(account.id, 'archive')
  }
  const { verifier_key } = await checkpoint('archive')
  const verify = async (event: object = {}) =>
    (await verifyArchive({ account_id: account.id, key: verifier_key, ...event })) as Result
  return { id: account.id, verify, verifierKey: verifier_key as string, ...filesOf(account.id) }
}

/** Paths below the folder of the archive that belong to an account, in order. */
function filesOf(account: string) {
  const root = env.archiveFolder ?? ''
  const paths = (stream: string) => {
    const folder = join(root, `v1/${stream}/account=${account}`)
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(json|parquet)$/.test(name))
      .sort()
      .map((name) => join(folder, name))
  }
  return {
    manifests: () => paths('manifest'),
    files: () => paths('change'),
    nameOf: (path: string) => path.slice(root.length + 1),
  }
}

it('confirms an intact archive', async () => {
  const { verify, manifests, id } = await newArchive(3)
  const { data } = await verify()
  expect(data).toMatchObject({ accounts: 1, manifests: 3, unsealed: 0, findings: [], next: null })
  expect(data?.rows).toBeGreaterThan(6)
  expect(manifests()).toHaveLength(3)
  const { data: status } = (await archiveStatus({ account_id: id })) as { data: { archives: object[] } }
  expect(status.archives).toMatchObject([{ account_id: id, manifests: 3, sealed_until: expect.any(String) }])
})

it.each<[string, (archive: Awaited<ReturnType<typeof newArchive>>) => [at: string, problem: string][]]>([
  [
    'an unknown file',
    ({ files, nameOf }) => {
      const [first = ''] = files()
      const copy = first.replace('-0.parquet', '-7.parquet')
      writeFileSync(copy, readFileSync(first))
      return [[nameOf(copy), 'unknown']]
    },
  ],
  [
    'a changed byte of a file',
    ({ files, nameOf }) => {
      const [, path = ''] = files()
      const content = readFileSync(path)
      content[40] = (content[40] ?? 0) ^ 1
      writeFileSync(path, content)
      return [[nameOf(path), 'altered']]
    },
  ],
  [
    'a missing file',
    ({ files, nameOf }) => {
      const [path = ''] = files()
      rmSync(path)
      return [[nameOf(path), 'missing']]
    },
  ],
  [
    'a missing manifest, whose files no manifest lists',
    ({ manifests }) => {
      rmSync(manifests()[1] as string)
      return [['manifest 1', 'missing']]
    },
  ],
  [
    'the last manifest missing',
    ({ manifests }) => {
      rmSync(manifests()[2] as string)
      return [['manifest 2', 'missing']]
    },
  ],
  [
    'two swapped manifests',
    ({ manifests, nameOf }) => {
      const [first = '', second = ''] = manifests()
      renameSync(first, `${first}.x`)
      renameSync(second, first)
      renameSync(`${first}.x`, second)
      return [
        ['manifest 0', 'missing'],
        [nameOf(second), 'altered'],
      ]
    },
  ],
  [
    'a changed manifest',
    ({ manifests, nameOf }) => {
      const [, path = ''] = manifests()
      writeFileSync(path, readFileSync(path, 'utf8').replace('"changes":', '"changes":1'))
      return [[nameOf(path), 'altered']]
    },
  ],
])('finds %s', async (_title, damage) => {
  const archive = await newArchive(3)
  const expected = damage(archive)
  const findings = (await archive.verify()).data?.findings.map(({ at, problem }) => [at, problem])
  for (const finding of expected) expect(findings).toContainEqual(finding)
})

it('finds an unsealed manifest that does not follow the one before', async () => {
  const { account, checkpoint } = await newSealedAccount()
  for (let hour = 0; hour < 2; hour++) {
    advanceMinutes(80)
    await changeSites(account.id, 2)
    advanceMinutes(80)
    for (const log of ['changes', 'activity'] as const) await sealNow(account.id, log)
    await flushAccount(account.id, Number.POSITIVE_INFINITY)
  }
  expect((await checkpoint('archive')).size).toBe(0)
  const { manifests, nameOf } = filesOf(account.id)
  const verify = async () => ((await verifyArchive({ account_id: account.id })) as Result).data
  const count = manifests().length
  expect(await verify()).toMatchObject({ manifests: count, unsealed: count, findings: [] })
  const path = manifests().at(-1) ?? ''
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text.replace(/"previous":"..../, '"previous":"AAAA'))
  expect((await verify())?.findings).toMatchObject([{ at: nameOf(path), problem: 'altered' }])
})

it('refuses a log that the given key has not signed', async () => {
  const { verify, verifierKey } = await newArchive(1)
  const { name } = parseVerifierKey(verifierKey)
  const key = verifierKeyText({ name, publicKey: Buffer.alloc(32, 7) })
  expect((await verify({ key })).data?.findings).toMatchObject([{ at: 'archive', problem: 'unsigned' }])
})

it('verifies a window of hours, and continues where a run has ended', async () => {
  const { verify, id } = await newArchive(3)
  const all = (await verify()).data
  let calls = 0
  const context = { getRemainingTimeInMillis: () => (calls++ < 2 ? 900_000 : 0) }
  const first = (await verifyArchive({ account_id: id }, context)) as Result
  expect(first.data).toMatchObject({ accounts: 0, next: { account_id: id, from: expect.any(String) } })
  const rest = (await verify({ next: first.data?.next })).data
  expect(Number(first.data?.manifests) + Number(rest?.manifests)).toBe(all?.manifests)
  const from: string = Object(first.data?.next).from
  expect((await verify({ from })).data).toMatchObject({ manifests: rest?.manifests, findings: [] })
  expect((await verify({ until: from })).data).toMatchObject({ manifests: first.data?.manifests, findings: [] })
})

it('has the same findings in several calls as in one', async () => {
  const { id, verify, manifests, files, nameOf } = await newArchive(4)
  const [first = '', second = '', third = ''] = files()
  const copies = [first, third].map((path) => path.replace('-0.parquet', '-7.parquet'))
  for (const copy of copies) writeFileSync(copy, readFileSync(first))
  const [, missing = '', altered = ''] = manifests()
  rmSync(missing)
  writeFileSync(altered, readFileSync(altered, 'utf8').replace(/"previous":"..../, '"previous":"AAAA'))
  const sorted = (findings: { at: string; problem: string }[]) =>
    findings.map(({ at, problem }) => `${problem} ${at}`).sort()
  const once = sorted((await verify()).data?.findings ?? [])
  expect(once).toEqual(
    expect.arrayContaining([
      ...[...copies, second].map((path) => `unknown ${nameOf(path)}`),
      'missing manifest 1',
      `altered ${nameOf(altered)}`,
    ]),
  )
  const findings: { at: string; problem: string }[] = []
  let [calls, next]: [number, unknown] = [0, null]
  do {
    let checks = 0
    const context = { getRemainingTimeInMillis: () => (checks++ < 1 ? 900_000 : 0) }
    const { data } = (await verifyArchive({ account_id: id, next }, context)) as Result
    findings.push(...(data?.findings ?? []))
    next = data?.next ?? null
    calls++
  } while (next !== null)
  expect(calls).toBe(3)
  expect(sorted(findings)).toEqual(once)
})

it('finds an unknown file in a window without manifests', async () => {
  const { verify, manifests, files, nameOf } = await newArchive(2)
  for (const path of manifests()) rmSync(path)
  const findings = (await verify({ from: '1970-01-01T00:00:01Z' })).data?.findings ?? []
  expect(findings.map(({ at }) => at)).toEqual(expect.arrayContaining(files().map(nameOf)))
})

it('resumes at the same position without time', async () => {
  const { id } = await newArchive(2)
  const next = { account_id: id, from: '2026-01-01T00:00:00Z', manifest: { number: 7, hash: 'x' } }
  const context = { getRemainingTimeInMillis: () => 0 }
  expect(await verifyArchive({ account_id: id, next }, context)).toMatchObject({ data: { next, findings: [] } })
})

it.each([
  [{ account_id: 'x' }, 'account_id must be a UUID.'],
  [{ from: 'yesterday' }, 'from must be an RFC 3339 timestamp.'],
  [{ key: 'x' }, 'key: A verifier key has the form <name>+<hash>+<base64>.'],
  [{ more: 1 }, expect.stringContaining('more')],
])('refuses the event %j', async (event, detail) => {
  expect(await verifyArchive(event)).toMatchObject({ error: { code: 'bad_request', detail } })
})
