import type { CalledRoute } from '../../client/api-types.ts'
import type { Collection, Column, Field, Row } from '../../collection/collection.ts'
import { texts } from '../../texts/texts.ts'

export const providerKinds = ['oidc', 'suite', 'tenant', 'idp', 'email_otp'] as const

export type ProviderKind = (typeof providerKinds)[number]

export const providerStates = ({ is_disabled, is_default, last_error }: Row) => [
  is_disabled
    ? { text: texts.badges.disabled, tone: 'warn' as const }
    : { text: texts.badges.enabled, tone: 'quiet' as const },
  ...(is_default ? [{ text: texts.badges.standard, tone: 'neutral' as const }] : []),
  ...(last_error ? [{ text: texts.badges.failing, tone: 'bad' as const }] : []),
]

const secret: Field = { name: 'client_secret', kind: 'secret', isRequired: true, only: 'create' }
const replacedSecret: Field = { name: 'client_secret', kind: 'secret', only: 'update', hint: texts.form.keepSecret }
const clientFields: Field[] = [{ name: 'client_id', kind: 'text', isRequired: true }, secret, replacedSecret]

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

const facts = (fields: string[]): Column<Row>[] => fields.map((field) => ({ field, kind: 'code' }))

/** Declares the details and form of the providers of a kind. */
export function providersOf(kind: ProviderKind): Collection {
  const path = `/${kind}_auth_providers` as const
  const isDefault: Field[] = kind === 'email_otp' ? [] : [{ name: 'is_default', kind: 'flag', initial: false }]
  return {
    noun: 'providers',
    scope: 'providers',
    address: `/providers/${kind}`,
    back: () => '/providers',
    routes: {
      list: `GET ${path}`,
      read: `GET ${path}/{id}` satisfies CalledRoute,
      create: `POST ${path}`,
      update: `PATCH ${path}/{id}` satisfies CalledRoute,
      remove: `DELETE ${path}/{id}` satisfies CalledRoute,
    },
    envelope: `${kind}_auth_provider`,
    columns: [{ field: 'name' }],
    facts: [
      { field: 'callback_uri', kind: 'link' },
      { field: 'context', kind: 'option' },
      { field: 'issuer', kind: 'code' },
      ...facts(['client_id', 'discovery_document_uri', 'idp_domain', 'email_claim']),
      { field: 'email_verification_method', kind: 'option' },
      { field: 'domains', kind: 'list' },
      { field: 'client_session_lifetime_secs', kind: 'duration' },
      { field: 'portal_session_lifetime_secs', kind: 'duration' },
      { field: 'last_error' },
      { field: 'last_error_at', kind: 'time' },
      { field: 'updated_at', kind: 'time' },
    ],
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
