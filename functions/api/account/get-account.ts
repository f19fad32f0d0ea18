import { Account } from '#shared/domain/accounts/account.ts'
import * as accounts from '#shared/domain/accounts/store.ts'
import { data } from '#shared/http/envelope.ts'
import { lambda } from '#shared/http/lambda.ts'
import { operation } from '#shared/http/operation.ts'

export const getAccount = operation(
  { method: 'GET', path: '/account', summary: 'Read the account of the token', response: data(Account) },
  ({ caller }) => accounts.get(caller.account),
)

export const handler = lambda(getAccount)
