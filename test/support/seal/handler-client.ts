import { handler as getCheckpoint } from '#functions/api/logs/get-checkpoint.ts'
import { handler as getConsistency } from '#functions/api/logs/get-consistency.ts'
import { handler as getProof } from '#functions/api/logs/get-proof.ts'
import { handler as listLeaves } from '#functions/api/logs/list-leaves.ts'
import { handler as listLogs } from '#functions/api/logs/list-logs.ts'
import { LogClient } from '#infra/commands/export/log-client.ts'
import type { Account } from '../accounts/account.ts'

export class HandlerClient extends LogClient {
  private readonly account: Account

  constructor(account: Account) {
    super('http://127.0.0.1', account.token)
    this.account = account
  }

  override async request(path: string, query: Record<string, string> = {}) {
    const [, , first = '', second = '', third] = path.split('/')
    const [handler, params] =
      first === ''
        ? [listLogs, {}]
        : first === 'checkpoints'
          ? [
              third === 'leaves' ? listLeaves : third === 'consistency' ? getConsistency : getCheckpoint,
              { log: second },
            ]
          : [getProof, { log_id: first }]
    const { status, body } = await this.account.call(handler as never, { method: 'GET', params, query })
    return { status, body }
  }
}
