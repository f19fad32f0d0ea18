import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { signedHeaders } from '#shared/core/aws/signed-fetch.ts'

export type Alarm = {
  AlarmName: string
  StateValue: 'OK' | 'ALARM' | 'INSUFFICIENT_DATA'
  ActionsEnabled: boolean
  AlarmActions?: string[]
}

/** An entry of an alarm's history of type `Action`. `HistoryData` is JSON. */
export type AlarmAction = { Timestamp: number; HistorySummary: string; HistoryData?: string }

/** An answer of CloudWatch, or of the SDK's search for credentials, that is no success. */
export class CloudWatchFault extends Error {}

const attempts = 4

/** Three operations of CloudWatch in its JSON protocol. The SDK finds credentials and region in the environment. */
export class CloudWatch {
  // The SDK ships its search for credentials with each client. No table is asked.
  readonly #sdk = new DynamoDBClient({})

  async alarm(name: string): Promise<Alarm | null> {
    const { MetricAlarms } = await this.#call<{ MetricAlarms?: Alarm[] }>('DescribeAlarms', { AlarmNames: [name] })
    return MetricAlarms?.[0] ?? null
  }

  async setState(AlarmName: string, StateValue: Alarm['StateValue'], StateReason: string): Promise<void> {
    await this.#call('SetAlarmState', { AlarmName, StateValue, StateReason })
  }

  /** Actions of the alarm since an instant, newest first. */
  async actionsSince(AlarmName: string, since: Date): Promise<AlarmAction[]> {
    const query = { AlarmName, HistoryItemType: 'Action', StartDate: Math.floor(since.getTime() / 1_000) }
    const { AlarmHistoryItems } = await this.#call<{ AlarmHistoryItems?: AlarmAction[] }>('DescribeAlarmHistory', query)
    return AlarmHistoryItems ?? []
  }

  /** @throws CloudWatchFault */
  async #call<T>(operation: string, input: object): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#once(operation, JSON.stringify(input))
      const text = await answer.text()
      if (answer.ok) return JSON.parse(text || '{}') as T
      const said = /"__type":\s*"(?:[^"]*#)?([^"]+)"/.exec(text)?.[1] ?? ''
      const mayPass = answer.status >= 500 || /Throttl|RequestLimitExceeded/.test(said)
      if (mayPass && attempt < attempts) await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** attempt))
      else {
        const [, message = ''] = /"[mM]essage":\s*"((?:[^"\\]|\\.)*)"/.exec(text) ?? []
        throw new CloudWatchFault(`CloudWatch answers ${operation} with ${answer.status} ${said}: ${message}`)
      }
    }
  }

  async #once(operation: string, body: string): Promise<Response> {
    try {
      const [region, credentials] = await Promise.all([this.#sdk.config.region(), this.#sdk.config.credentials()])
      const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'
      const url = new URL(process.env.AWS_ENDPOINT_URL_CLOUDWATCH || `https://monitoring.${region}.${suffix}`)
      const headers = {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `GraniteServiceVersion20100801.${operation}`,
      }
      const request = { service: 'monitoring', method: 'POST', host: url.host, path: '/', headers, body } as const
      const { host: _host, ...signed } = signedHeaders(request, { region, ...credentials }, new Date())
      return await fetch(url, { method: 'POST', headers: signed, body, signal: AbortSignal.timeout(10_000) })
    } catch (error) {
      const { message, cause } = error as Error
      throw new CloudWatchFault(`CloudWatch: ${cause instanceof Error ? cause.message : message}`)
    }
  }
}
