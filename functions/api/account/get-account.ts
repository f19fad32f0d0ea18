import { Account } from '#shared/domain/accounts/account.ts'
import * as accounts from '#shared/domain/accounts/store.ts'
import { data, operation } from '#shared/http/lambda.ts'

export const handler = operation(
  'GET /account',
  { summary: 'Read the account of the token', response: data(Account) },
  ({ caller }) => accounts.get(caller.account),
)
