import {
  type Collection,
  type Field,
  objectRoutes,
  type Row,
  secretFields,
  switchState,
  toColumns,
} from '../../collection/collection.ts'
import { texts } from '../../texts/texts.ts'

export const providerKinds = ['oidc', 'suite', 'tenant', 'idp', 'email_otp'] as const

export type ProviderKind = (typeof providerKinds)[number]

export const providerStates = ({ is_disabled, is_default, last_error }: Row) => [
  switchState(is_disabled),
  ...(is_default ? [{ text: texts.badges.standard, tone: 'neutral' as const }] : []),
  ...(last_error ? [{ text: texts.badges.failing, tone: 'bad' as const }] : []),
]

const clientFields: Field[] = [{ name: 'client_id', kind: 'text', isRequired: true }, ...secretFields('client_secret')]

/** Fields that only providers of a kind have (A25.1). */
const ownFields: Record<ProviderKind, Field[]> = {
  oidc: [
    { name: 'discovery_document_uri', kind: 'text', isRequired: true, hint: texts.hints.discovery },
    ...clientFields,
    { name: 'email_verification_method', kind: 'choice', options: ['claim', 'proof', 'none'], initial: 'claim' },
  ],
  suite: [{ name: 'hosted_domain', kind: 'text', only: 'create' }],
  tenant: [
    { name: 'issuer', kind: 'text', isRequired: true },
    { name: 'email_claim', kind: 'choice', options: ['upn', 'email', 'preferred_username'], initial: 'upn' },
  ],
  idp: [{ name: 'idp_domain', kind: 'text', isRequired: true }, ...clientFields],
  email_otp: [],
}

/** Declares the details and form of the providers of a kind. */
export function providersOf(kind: ProviderKind): Collection {
  const path = `/${kind}_auth_providers` as const
  const isDefault: Field[] = kind === 'email_otp' ? [] : [{ name: 'is_default', kind: 'flag', initial: false }]
  return {
    noun: 'providers',
    scope: 'providers',
    address: `/providers/${kind}`,
    back: () => '/providers',
    routes: objectRoutes(path),
    envelope: `${kind}_auth_provider`,
    columns: [{ field: 'name' }],
    facts: toColumns(
      'callback_uri link, context option, issuer code, client_id code, discovery_document_uri code, idp_domain code',
      'email_claim code, email_verification_method option, domains list, client_session_lifetime_secs duration',
      'portal_session_lifetime_secs duration, last_error, last_error_at time, updated_at time',
    ),
    hidesBlank: true,
    fields: [
      { name: 'name', kind: 'text', isRequired: true },
      ...(ownFields[kind] ?? []),
      {
        name: 'context',
        kind: 'choice',
        options: ['clients_and_portal', 'clients_only', 'portal_only'],
        initial: 'clients_and_portal',
        decidesAccess: true,
      },
      { name: 'domains', kind: 'lines', hint: texts.hints.domains, decidesAccess: true },
      { name: 'client_session_lifetime_secs', kind: 'number', initial: '604800', hint: texts.hints.seconds },
      { name: 'portal_session_lifetime_secs', kind: 'number', initial: '28800', hint: texts.hints.seconds },
      ...isDefault,
    ],
    states: providerStates,
  }
}
