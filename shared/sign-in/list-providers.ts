import * as v from 'valibot'
import { type AuthProviderRow, authProviders, providerKinds } from '../domain/auth-providers/auth-provider.ts'
import { itemRow } from '../table/entity.ts'
import { entityKey } from '../table/keys.ts'
import { queryItems } from '../table/read.ts'
import { allowsContext, type SignInContext } from './sign-in-context.ts'

const SignInProvider = v.object({
  id: v.string(),
  kind: v.picklist(providerKinds),
  name: v.string(),
  is_default: v.boolean(),
})
export const SignInProviders = v.object({ data: v.array(SignInProvider) })
type ListedProvider = v.InferOutput<typeof SignInProvider>

const byName = (a: ListedProvider, b: ListedProvider): number =>
  Number(b.is_default) - Number(a.is_default) || (a.name < b.name ? -1 : a.name > b.name ? 1 : a.id < b.id ? -1 : 1)

/** Lists an account's enabled providers for a context: the default provider first, then the others by name. */
export async function listSignInProviders(accountId: string, context: SignInContext): Promise<ListedProvider[]> {
  const listed = await Promise.all(
    providerKinds.map(async (kind) => {
      const items = await queryItems(entityKey(accountId, authProviders[kind].name, '').pk)
      return items
        .map((item): AuthProviderRow => itemRow(authProviders[kind], item))
        .filter((provider) => !provider.is_disabled && allowsContext(provider, context))
        .map(({ id, name, is_default = false }): ListedProvider => ({ id, kind, name, is_default }))
    }),
  )
  return listed.flat().sort(byName)
}
