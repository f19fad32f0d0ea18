import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** Fields from `DescribeAlarms` that the smoke test reads. */
type Alarm = { AlarmName: string; StateValue: string; ActionsEnabled: boolean; AlarmActions: string[] }

type Input = Record<string, unknown>

/** Input members of each CloudWatch operation. The value is true for required members. */
const members: Record<string, Record<string, boolean>> = {
  DescribeAlarms: {
    AlarmNames: false,
    AlarmNamePrefix: false,
    AlarmTypes: false,
    StateValue: false,
    ActionPrefix: false,
    MaxRecords: false,
    NextToken: false,
  },
  SetAlarmState: { AlarmName: true, StateValue: true, StateReason: true, StateReasonData: false },
  DescribeAlarmHistory: {
    AlarmName: false,
    AlarmTypes: false,
    HistoryItemType: false,
    StartDate: false,
    EndDate: false,
    MaxRecords: false,
    NextToken: false,
    ScanBy: false,
  },
}

class Refused extends Error {
  readonly type: string

  constructor(type: string, message: string) {
    super(message)
    this.type = type
  }
}

const target = /^GraniteServiceVersion20100801\.(\w+)$/
const scope =
  /^AWS4-HMAC-SHA256 Credential=\w+\/\d{8}\/[\w-]+\/monitoring\/aws4_request,\s*SignedHeaders=\S+,\s*Signature=[0-9a-f]{64}$/

async function inputOf(request: IncomingMessage): Promise<[operation: string, input: Input]> {
  const [, operation = ''] = target.exec(String(request.headers['x-amz-target'])) ?? []
  const inputMembers = members[operation]
  if (!inputMembers || request.headers['content-type'] !== 'application/x-amz-json-1.0')
    throw new Refused('UnknownOperationException', operation)
  if (!scope.test(String(request.headers.authorization)))
    throw new Refused('IncompleteSignature', 'The signature is not one of CloudWatch.')
  const input = (await json(request)) as Input
  const missing = Object.keys(inputMembers).filter((name) => inputMembers[name] && input[name] === undefined)
  const unknown = Object.keys(input).filter((name) => !(name in inputMembers))
  if (missing.length + unknown.length > 0)
    throw new Refused('ValidationError', `missing ${missing.join()}, unknown ${unknown.join()}`)
  if (input.StartDate !== undefined && typeof input.StartDate !== 'number')
    throw new Refused('ValidationError', 'StartDate is a number of seconds.')
  return [operation, input]
}

const denied = (arn: string) => `CloudWatch Alarms is not authorized to perform: SNS:Publish on resource: ${arn}`

/**
 * Starts a fake CloudWatch with the operations that the smoke test calls, in the JSON protocol. Setting an alarm to ALARM runs its actions.
 * Each action adds an entry to the history, even if its topic refuses the message.
 */
export async function startCloudWatch(alarms: Alarm[], mayPublish: (arn: string) => boolean = () => true) {
  const history: { AlarmName: string; Timestamp: number; HistorySummary: string; HistoryData: string }[] = []
  const states: string[] = []
  let throttles = 1

  function act(AlarmName: string, arn: string): void {
    const isDone = mayPublish(arn)
    history.unshift({
      AlarmName,
      Timestamp: Date.now() / 1_000,
      HistorySummary: `${isDone ? 'Successfully executed' : 'Failed to execute'} action ${arn}`,
      HistoryData: JSON.stringify({
        actionState: isDone ? 'Succeeded' : 'Failed',
        notificationResource: arn,
        ...(!isDone && { error: denied(arn) }),
      }),
    })
  }

  function answer(operation: string, input: Input): object {
    if (throttles-- > 0) throw new Refused('Throttling', 'Rate exceeded')
    if (operation === 'DescribeAlarms') {
      const names = input.AlarmNames as string[]
      return { CompositeAlarms: [], MetricAlarms: alarms.filter(({ AlarmName }) => names.includes(AlarmName)) }
    }
    const alarm = alarms.find(({ AlarmName }) => AlarmName === input.AlarmName)
    if (operation === 'DescribeAlarmHistory')
      return { AlarmHistoryItems: history.filter(({ Timestamp }) => Timestamp >= Number(input.StartDate)) }
    if (!alarm) throw new Refused('ResourceNotFound', String(input.AlarmName))
    const state = String(input.StateValue)
    states.push(state)
    if (state === 'ALARM' && alarm.StateValue !== state) for (const arn of alarm.AlarmActions) act(alarm.AlarmName, arn)
    alarm.StateValue = state
    return {}
  }

  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/x-amz-json-1.0')
    void inputOf(request)
      .then(([operation, input]) => response.end(JSON.stringify(answer(operation, input))))
      .catch(({ type, message }: Refused) => {
        response.statusCode = 400
        response.end(JSON.stringify({ __type: `com.amazonaws.cloudwatch#${type}`, message }))
      })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    states,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
