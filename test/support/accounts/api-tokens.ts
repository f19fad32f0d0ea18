import { handler as createApiToken } from '#functions/api/api-tokens/create-api-token.ts'
import { handler as deleteApiToken } from '#functions/api/api-tokens/delete-api-token.ts'
import { handler as deleteApiTokens } from '#functions/api/api-tokens/delete-api-tokens.ts'
import { handler as getApiToken } from '#functions/api/api-tokens/get-api-token.ts'
import { handler as listApiTokens } from '#functions/api/api-tokens/list-api-tokens.ts'
import { type Account, call } from './account.ts'
import { actorsApi } from './collections.ts'

export const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

export const newApiClient = async (account: Account): Promise<string> =>
  (await actorsApi.create(account, { name: 'Pipeline', type: 'api_client' })).body.data.id

export async function withScopes(account: Account, ...scopes: string[]): Promise<Account> {
  const { body } = await apiTokensApi.create(account, account.apiClient.id, { expires_at: inAnHour(), scopes })
  const { id: tokenId, token } = body.data
  return { ...account, token, tokenId, call: (handler, request = {}) => call(handler, { token, ...request }) }
}

/** Functions that call the API token operations (A13) for an account. */
export const apiTokensApi = {
  create: (account: Account, actor_id: string, api_token: unknown, token = account.token) =>
    account.call(createApiToken, { method: 'POST', params: { actor_id }, body: { api_token }, token }),
  get: (account: Account, actor_id: string, id: string) => account.call(getApiToken, { params: { actor_id, id } }),
  list: (account: Account, actor_id: string, query = {}) =>
    account.call(listApiTokens, { params: { actor_id }, query }),
  remove: (account: Account, actor_id: string, id: string) =>
    account.call(deleteApiToken, { method: 'DELETE', params: { actor_id, id } }),
  removeAll: (account: Account, actor_id: string) =>
    account.call(deleteApiTokens, { method: 'DELETE', params: { actor_id } }),
}
