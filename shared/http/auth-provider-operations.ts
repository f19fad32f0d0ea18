import {
  AuthProvider,
  AuthProviderFields,
  NewAuthProviderFields,
  type ProviderKind,
} from '../domain/auth-providers/auth-provider.ts'
import * as authProviders from '../domain/auth-providers/store.ts'
import { textFilter } from '../values/filters.ts'
import { data, list } from './envelope.ts'
import { type Operation, operation } from './operation.ts'

/** The operations that every kind of auth provider has (A25), each with the paths and fields of its kind. */

const collection = (kind: ProviderKind) => `/${kind}_auth_providers` as const
const item = (kind: ProviderKind) => `/${kind}_auth_providers/{id}` as const
const envelope = (kind: ProviderKind) => `${kind}_auth_provider`

/** The name of each kind in summaries; `one` has its article. */
const titles: Record<ProviderKind, { one: string; many: string }> = {
  email_otp: { one: 'an email passcode provider', many: 'email passcode providers' },
  oidc: { one: 'an OpenID Connect provider', many: 'OpenID Connect providers' },
  suite: { one: 'a suite provider', many: 'suite providers' },
  tenant: { one: 'a tenant provider', many: 'tenant providers' },
  idp: { one: 'an identity provider', many: 'identity providers' },
}

export const listAuthProviders = (kind: ProviderKind) =>
  operation(
    {
      method: 'GET',
      path: collection(kind),
      summary: `List the ${titles[kind].many}`,
      permission: 'providers:read',
      filters: { name: textFilter },
      response: list(AuthProvider(kind)),
    },
    ({ accountId, page, address }) => authProviders.list(kind, accountId, page, address),
  )

export const getAuthProvider = (kind: ProviderKind) =>
  operation(
    {
      method: 'GET',
      path: item(kind),
      summary: `Show ${titles[kind].one}`,
      permission: 'providers:read',
      response: data(AuthProvider(kind)),
    },
    ({ accountId, params, address }) => authProviders.get(kind, accountId, params.id, address),
  )

export const createAuthProvider = (kind: ProviderKind) =>
  operation(
    {
      method: 'POST',
      path: collection(kind),
      summary: `Create ${titles[kind].one}`,
      permission: 'providers:write',
      body: { envelope: envelope(kind), fields: NewAuthProviderFields(kind) },
      refusals: ['scope_exceeded'],
      response: data(AuthProvider(kind)),
      status: 201,
      location: ({ data }) => `${collection(kind)}/${data.id}`,
    },
    ({ author, draft, address }) => authProviders.create(kind, author, draft, address),
  )

/** `etagFrom` is the operation that shows the provider. */
export const updateAuthProvider = (kind: ProviderKind, etagFrom: Operation) =>
  operation(
    {
      method: 'PATCH',
      alias: 'PUT',
      path: item(kind),
      summary: `Change ${titles[kind].one}`,
      permission: 'providers:write',
      etagFrom,
      body: { envelope: envelope(kind), fields: AuthProviderFields(kind) },
      refusals: ['scope_exceeded'],
      response: data(AuthProvider(kind)),
    },
    ({ author, params, draft, address }) => authProviders.update(kind, author, params.id, draft, address),
  )

export const deleteAuthProvider = (kind: ProviderKind, etagFrom: Operation) =>
  operation(
    {
      method: 'DELETE',
      path: item(kind),
      summary: `Delete ${titles[kind].one} with the client tokens made through it`,
      permission: 'providers:write',
      etagFrom,
      response: data(AuthProvider(kind)),
    },
    ({ author, params, address }) => authProviders.remove(kind, author, params.id, address),
  )
