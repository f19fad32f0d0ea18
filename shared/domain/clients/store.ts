import type * as v from 'valibot'
import { type Author, commit } from '../../commit/commit.ts'
import type { Transaction } from '../../commit/transaction.ts'
import { clock, timestamp } from '../../core/clock.ts'
import { notFound } from '../../core/errors.ts'
import { listWithPresence } from '../../table/list-with-presence.ts'
import { getRow } from '../../table/read.ts'
import type { Page } from '../../values/page.ts'
import {
  deviceTests,
  findPresence,
  renderPresence,
  type ShownPresence,
  shownPresenceAttributes,
} from '../sessions/presence.ts'
import { type ClientFields, type ClientRow, clients, emptyAttestation } from './client.ts'

/** Maximum bytes of the fields that a response adds to a client, above all a user agent of 255 characters. */
const maxAddedBytes = 2_500

export async function list(account: string, page: Page) {
  const now = clock.now()
  const { entries, metadata } = await listWithPresence<ClientRow, ShownPresence>(clients, account, page, {
    presence: shownPresenceAttributes,
    row: shownFields,
    addedBytes: maxAddedBytes,
    tests: { ...deviceTests(now), verified: ({ row }, value) => String(row.verified_at !== null) === value },
  })
  return { data: entries.map(({ row, presence }) => renderClient(row, presence, now)), metadata }
}

export async function get(account: string, id: string) {
  const [row, presence] = await Promise.all([getRow(clients, account, id), findPresence(account, 'clients', id)])
  if (!row) throw notFound()
  return { data: renderClient(row, presence ?? null, clock.now()) }
}

export const rename = (author: Author, id: string, input: () => v.InferOutput<typeof ClientFields>) =>
  change(author, id, (transaction, client) => transaction.update(clients, client, { name: input().name }))

/** Verifies a client. A repeated verification keeps the original `verified_at` (A23.2). */
export const verify = (author: Author, id: string) =>
  change(author, id, (transaction, client) =>
    transaction.update(clients, client, { verified_at: client.verified_at ?? timestamp(transaction.now) }),
  )

/** Removes the verification of a client, and revokes its authorizations (A30). */
export const unverify = (author: Author, id: string) =>
  change(author, id, (transaction, client) => {
    transaction.revoke({ by: 'client', id })
    return transaction.update(clients, client, { verified_at: null })
  })

const change = (author: Author, id: string, apply: (transaction: Transaction, client: ClientRow) => ClientRow) =>
  commit(author, async (transaction) => {
    const client = await transaction.existing(clients, id)
    const changedClient = apply(transaction, client)
    const presence = await findPresence(author.accountId, 'clients', id)
    return { data: renderClient(changedClient, presence ?? null, transaction.now) }
  })

const shownFields = [
  'id',
  'actor_id',
  'name',
  'hostname',
  'ipv4',
  'ipv6',
  'svc_id',
  'device_serial',
  'device_uuid',
  'push_installation_id',
  'identifier_for_vendor',
  'verified_at',
  'inserted_at',
  'updated_at',
] as const satisfies (keyof ClientRow)[]

type ShownRow = Pick<ClientRow, (typeof shownFields)[number]>

/** Renders a client (A23.1). The token needs no check, because a client's lease never outlasts its token. */
export const renderClient = (client: ShownRow, presence: ShownPresence | null, now: number) => ({
  ...client,
  ...emptyAttestation,
  ...renderPresence(presence, now),
  created_at: client.inserted_at,
})
