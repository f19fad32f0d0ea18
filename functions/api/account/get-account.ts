import { Account } from '#shared/accounts/account.ts'
import * as accounts from '#shared/accounts/store.ts'
import { data } from '#shared/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/operation.ts'

export const getAccount = operation(
  { method: 'GET', path: '/account', summary: 'Read the account of the token', response: data(Account) },
  ({ caller }) => accounts.get(caller.account),
)

export const handler = lambda(getAccount)
