import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DeployedRights, deployedRights } from '#test/support/service/deployed-rights.ts'
import { evaluate } from '#test/support/service/iam.ts'
import { type Recorded, recordFunctions } from '#test/support/service/record-functions.ts'
import { useOwnTable } from '#test/support/table/own-table.ts'

let ownTable: Awaited<ReturnType<typeof useOwnTable>>
let rights: DeployedRights
let recorded: Recorded

beforeAll(async () => {
  rights = await deployedRights({ mailSender: 'access@example.net' })
  ownTable = await useOwnTable()
  const consumer = rights.functions.get('streams/follow-up.ts')
  recorded = await recordFunctions(`arn:aws:lambda:eu-central-1:000000000000:function:${consumer?.name}`)
}, 300_000)
afterAll(() => ownTable.end())

describe('every function', () => {
  it('was recorded', () => {
    expect([...recorded.keys()].sort()).toEqual([...rights.functions.keys()].sort())
  })

  it.each([
    ['sign-in/open-id/redeem-code.ts', 'PutItem', /#log\.session\.actor#/],
    ['sign-in/open-id/redeem-code.ts', 'PutItem', /#portal_sessions$/],
    ['sign-in/open-id/redeem-code.ts', 'DeleteItem', /#authorizations#/],
    ['sign-in/open-id/redeem-code.ts', 'UpdateItem', /#presence\.clients$/],
    ['api/gateway-sessions/start-gateway-session.ts', 'DeleteItem', /#gateway_tokens$/],
    ['streams/follow-up.ts', 'PutItem', /#commits$/],
    ['streams/follow-up.ts', 'DeleteItem', /#resources$/],
  ])('was recorded at a rare call: %s %s %s', (file, name, key) => {
    const done = recorded.get(file)?.filter(({ action }) => action === `dynamodb:${name}`) ?? []
    expect(
      done.some(({ context }) => [context['dynamodb:LeadingKeys'] ?? []].flat().some((one) => key.test(one))),
    ).toBe(true)
  })

  it('has the permission to each of its recorded calls', () => {
    for (const [file, calls] of recorded) {
      const role = rights.functions.get(file)
      if (!role) throw new Error(`${file} is not deployed.`)
      for (const call of calls) {
        const { action, target, context } = call
        const decision = evaluate(role.statements, { action, resource: rights.arnOf(target), context })
        expect(decision, `${file}: ${action} ${target} ${context['dynamodb:LeadingKeys']}`).toBe('allowed')
      }
    }
  })

  it('without recorded calls has only permissions to log', () => {
    for (const [file, calls] of recorded) {
      if (calls.length > 0) continue
      const allows = rights.functions.get(file)?.statements.filter(({ Effect }) => Effect === 'Allow') ?? []
      for (const action of allows.flatMap(({ Action = [] }) => Action)) expect(action, file).toMatch(/^logs:/)
    }
  })
})
