import { randomInt } from 'node:crypto'
import * as v from 'valibot'
import { recordOf } from '../../core/json/record-of.ts'
import { entity, itemRow, type Row } from '../../table/entity.ts'
import { Text } from '../../values/fields.ts'
import { lastSeenFields } from '../sessions/presence.ts'

const descriptionFields = [
  'hostname',
  'device_serial',
  'device_uuid',
  'identifier_for_vendor',
  'push_installation_id',
  'os_name',
  'os_version',
] as const

/** Description that a device sends when it starts a session (P3.1). */
export type DeviceDescription = Record<(typeof descriptionFields)[number], string | null>

export const emptyDescription: DeviceDescription = recordOf(descriptionFields, () => null)

export type ClientRow = Row &
  DeviceDescription & {
    actor_id: string
    name: string
    ipv4: string
    ipv6: string
    /** Id of the client's installation on a device, unique per actor. */
    svc_id: string
    verified_at: string | null
  }

/** Value that identifies a client in the unique set `clients.installation`. */
export const installation = (actorId: string, svcId: string): string => `${actorId}#${svcId}`

export const clients = entity<ClientRow>({
  name: 'clients',
  defaults: { ...emptyDescription, verified_at: null },
  unique: {
    'clients.installation': (row) => installation(row.actor_id, row.svc_id),
    'devices.tunnel_address': (row) => row.ipv4,
  },
  recorded: (row) => namedClient(row),
  indexes: {
    actor_id: { value: (row) => row.actor_id, counted: true },
    name: { value: (row) => row.name, counted: true },
    svc_id: { value: (row) => row.svc_id, counted: true },
  },
})

const attestationFields = [
  'last_attested_at',
  'last_attested_cert_fingerprint',
  'last_attested_cert_serial',
  'last_attested_device_serial',
  'last_attested_device_uuid',
  'last_attested_mdm_device_id',
] as const

/** Attestation fields of a client. Always null, because this service does not attest devices. */
export const emptyAttestation = recordOf(attestationFields, () => null)

const namedClient = ({ inserted_at, ...row }: ClientRow) => ({ ...row, ...emptyAttestation, created_at: inserted_at })

export function clientOfRecord(recorded: Record<string, unknown>): ClientRow {
  const { created_at: inserted_at, ...recordedFields } = recorded
  const row = Object.fromEntries(Object.entries(recordedFields).filter(([field]) => !(field in emptyAttestation)))
  return itemRow(clients, { ...row, inserted_at })
}

const text = v.nullable(v.string())

/** Client in API responses (A23.1). */
export const Client = v.object({
  id: v.string(),
  actor_id: v.string(),
  name: v.string(),
  hostname: text,
  online: v.boolean(),
  ipv4: v.string(),
  ipv6: v.string(),
  svc_id: text,
  device_serial: text,
  device_uuid: text,
  push_installation_id: text,
  identifier_for_vendor: text,
  ...recordOf(attestationFields, () => text),
  verified_at: text,
  public_key: text,
  ...lastSeenFields,
  created_at: v.string(),
  updated_at: v.string(),
})

/** Fields of a client that a request can set. An update requires the name, too (A23.2). */
export const ClientFields = v.object({ name: Text(255) })

const adjectives =
  'able amber ample azure brave brief bright brisk broad calm candid civil clean clear clever cool coral cosy crisp deep eager early easy exact fair fast fine firm fleet fresh gentle glad golden grand great green happy hardy honest humble ivory keen kind large light lively lofty lucid lucky mellow merry mild modest neat noble novel olive open patient plain polite prime proud pure quick quiet rapid ready rich round royal rustic safe sharp silent silver simple sincere sleek smart smooth soft solid steady stout strong sunny sure swift tall tame tidy true upper vast vivid warm wise witty'.split(
    ' ',
  )
const nouns =
  'acorn anchor apple arch aspen badge barn basin beacon birch bloom boat bridge brook canal canyon cedar chart cliff cloud clover coast comet compass coral cove creek crest delta desert dune eagle elm ember falcon fern field finch fjord forest fountain garden gate glacier glade grove harbor haven hawk hazel heron hill horizon island ivy juniper lagoon lake lantern lark ledger linden lotus maple marsh meadow mesa moon moss oak oasis ocean orchard otter owl palm path pebble pine planet plaza pond prairie quarry rain reef ridge river robin rose sail sparrow spring spruce star stone stream summit swan tide tower trail tulip valley willow'.split(
    ' ',
  )

const randomWord = (words: string[]): string => words[randomInt(words.length)] as string

/** Generates the name of a client that registers itself (P3.1). */
export const generateClientName = (): string => `${randomWord(adjectives)}-${randomWord(nouns)}`
