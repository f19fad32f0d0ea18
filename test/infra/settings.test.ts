import { expect, it } from 'vitest'
import { templatesOf } from '#test/support/templates.ts'

const environmentOf = async (context: Record<string, unknown>) => {
  const [provision] = (await templatesOf([], context)).all('AWS::Lambda::Function')
  return provision?.Properties.Environment.Variables
}

it('hands the settings of a deployment to its functions', async () => {
  const context = {
    logLevel: 'WARN',
    metrics: 'operations',
    stackName: 'Access',
    logRetentionDays: 400,
    flowRetentionDays: '7',
    heartbeatSecs: 60,
  }
  expect(await environmentOf({ ...context, baseUrl: 'https://access.example.com' })).toMatchObject({
    LOG_LEVEL: 'WARN',
    METRICS: 'operations',
    SERVICE_NAME: 'Access',
    LOG_RETENTION_DAYS: '400',
    FLOW_RETENTION_DAYS: '7',
    HEARTBEAT_SECS: '60',
    SERVICE_URL: 'https://access.example.com',
  })
})

it('has defaults for all of them', async () => {
  expect(await environmentOf({})).toMatchObject({
    LOG_LEVEL: 'INFO',
    METRICS: 'classes',
    SERVICE_NAME: 'NetworkAccess',
    LOG_RETENTION_DAYS: '90',
    FLOW_RETENTION_DAYS: '120',
    HEARTBEAT_SECS: '30',
  })
})

it.each([
  [{ logLevel: 'debug' }, 'The context value logLevel must be one of INFO, WARN, ERROR.'],
  [{ metrics: 'all' }, 'The context value metrics must be one of classes, operations, none.'],
  [{ tracing: 'on' }, 'The context value tracing must be true or false.'],
  [{ logRetentionDays: 'ten' }, 'The context value logRetentionDays must be a positive integer.'],
  [{ flowStreamShards: 0 }, 'The context value flowStreamShards must be a positive integer.'],
  [{ logRetentionDays: '9'.repeat(20) }, 'The context value logRetentionDays must be at most 36500.'],
  [{ flowRetentionDays: 36_501 }, 'The context value flowRetentionDays must be at most 36500.'],
])('refuses %j', async (context, message) => {
  await expect(templatesOf([], context)).rejects.toThrow(message)
})
