import { openSecret, sealSecret } from '../../core/secrets/sealed-secret.ts'
import { namedVersion } from '../../core/secrets/secret-versions.ts'
import { authProviders } from '../../domain/auth-providers/auth-provider.ts'
import { directories } from '../../domain/directories/directory.ts'
import { postureProviders } from '../../domain/posture-providers/posture-provider.ts'
import type { Entity, Row } from '../../table/entity.ts'
import { v0Configurations } from '../../v0/configuration/configuration.ts'
import { v0Devices } from '../../v0/devices/device.ts'

type Fields = Record<string, unknown>
type Reseal = (sealed: string) => Promise<string>

/** A collection with sealed fields. */
type SealedRows = {
  entity: Entity
  /** The fields that hold what is sealed. */
  fields: string[]
  /** Every sealed text of a row. */
  textsOf(row: Fields): string[]
  /** The fields with every sealed text exchanged. */
  resealed(row: Fields, reseal: Reseal): Promise<Fields>
}

const isText = (value: unknown): value is string => typeof value === 'string'

/** Fields that are redacted in records are those that are sealed in rows. */
function plain<R extends Row>(entity: Entity<R>): SealedRows {
  const present = (row: Fields) => entity.redact.flatMap((field) => (isText(row[field]) ? [[field, row[field]]] : []))
  return {
    entity: entity as unknown as Entity,
    fields: entity.redact,
    textsOf: (row) => present(row).map(([, text]) => text as string),
    async resealed(row, reseal) {
      const entries = present(row).map(async ([field, text]) => [field, await reseal(text as string)])
      return Object.fromEntries(await Promise.all(entries))
    },
  }
}

type Provider = { client_secret: string }
const providersOf = (row: Fields) => (row.openid_connect_providers ?? []) as Provider[]

const configurations: SealedRows = {
  entity: v0Configurations as unknown as Entity,
  fields: ['openid_connect_providers'],
  textsOf: (row) => providersOf(row).map((provider) => provider.client_secret),
  resealed: async (row, reseal) => ({
    openid_connect_providers: await Promise.all(
      providersOf(row).map(async (provider) => ({ ...provider, client_secret: await reseal(provider.client_secret) })),
    ),
  }),
}

/** Everything that `sealSecret` has a part in, by collection. A law holds that no redacted field is missing. */
export const sealedRows: ReadonlyMap<string, SealedRows> = new Map(
  [
    ...[...Object.values(authProviders), ...Object.values(directories), postureProviders, v0Devices]
      .map((entity) => plain(entity as unknown as Entity))
      .filter(({ fields }) => fields.length > 0),
    configurations,
  ].map((rows) => [rows.entity.name, rows]),
)

/** Seals what another version than this one has sealed; null where there is nothing to do. @throws Error for what cannot be opened */
export async function resealedFields(
  { textsOf, resealed }: SealedRows,
  accountId: string,
  row: Fields,
  version: string,
): Promise<Fields | null> {
  const isOld = (text: string) => namedVersion(text).version !== version
  if (!textsOf(row).some(isOld)) return null
  return resealed(row, async (text) => (isOld(text) ? sealSecret(accountId, await openSecret(accountId, text)) : text))
}
