import { randomUUID } from 'node:crypto'
import { closeSync, openSync, writeSync } from 'node:fs'
import { timestamp } from '#shared/core/clock.ts'
import { lastLogMicros, logId, positionTail } from '#shared/logs/entries/log-id.ts'
import { type ExportSeal, entryLine, exportVersion, markBytes, sealLine } from '#shared/seal/export/export-seal.ts'
import { canonicalJson } from '#shared/seal/log/canonical-json.ts'
import { leafHash } from '#shared/seal/merkle/merkle-proof.ts'
import { CompactRange } from '#shared/seal/merkle/range-check.ts'
import { checkpointText } from '#shared/seal/notes/checkpoint.ts'
import { buildNote, verifierKeyText } from '#shared/seal/notes/signed-note.ts'
import { signText, verifierKey } from '#shared/seal/notes/signing-key.ts'

const address = 'https://access.example.com'

export const subject = {
  actor_id: randomUUID(),
  actor_name: 'Ada',
  actor_type: 'account_admin_user',
  actor_email: null,
  auth_provider_id: null,
  device_id: null,
  gateway_id: null,
  token_id: randomUUID(),
  ip: '192.0.2.1',
  ip_region: null,
  ip_city: null,
  ip_lat: null,
  ip_lon: null,
  user_agent: 'bench',
}

function entryOf(i: number) {
  const log_id = logId('change', 1_700_000_000_000_000 + i, positionTail(0))
  const after = { id: randomUUID(), name: `Group ${i}`, inserted_at: timestamp(0), updated_at: timestamp(0) }
  const common = { type: 'change', log_id, timestamp: timestamp(0), object: 'groups', operation: 'insert' }
  return { ...common, before: null, after, subject, run_id: null }
}

const perWrite = 1_000

/** Writes an export of a whole log with `count` entries, signed with a key of this process. */
export async function writeExport(file: string, count: number): Promise<void> {
  const out = openSync(file, 'w')
  const range = new CompactRange()
  const marks: Buffer[] = []
  for (let i = 0, text = ''; i < count; i++) {
    const entry = entryOf(i)
    const hash = leafHash(canonicalJson(entry))
    range.append(hash)
    marks.push(hash.subarray(0, markBytes))
    text += `${entryLine(entry)}\n`
    if (i % perWrite !== perWrite - 1 && i < count - 1) continue
    writeSync(out, text)
    text = ''
  }
  const key = await verifierKey(address)
  const signed = checkpointText({
    origin: `access.example.com/${randomUUID()}/changes`,
    size: count,
    root: range.root(),
    extensions: [],
  })
  const seal: ExportSeal = {
    type: 'seal',
    version: exportVersion,
    log: 'changes',
    stream: 'change',
    range: { begin: timestamp(0), end: timestamp(lastLogMicros) },
    note: buildNote(signed, key, await signText(signed)),
    verifier_key: verifierKeyText(key),
    entries: count,
    before: null,
    after: null,
    first: null,
    last: null,
    leaves: Buffer.concat(marks).toString('base64'),
  }
  writeSync(out, `${sealLine(seal)}\n`)
  closeSync(out)
}
