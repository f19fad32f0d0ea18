import { either, flag, integerSetting, oneOf, optional, setting } from './kinds.ts'

const concurrency = either(integerSetting(1, 100_000), oneOf('none'))
const requests = integerSetting(1, 1_000_000)

export const loadSettings = {
  accountRequests: setting(
    requests,
    10_000,
    'Quota of the AWS account: requests per second of all its APIs in the region together. An alarm goes off at 80 %. `throttleRate`, `anonymousRate` and `ingestRate` cannot exceed it.',
  ),
  throttleRate: setting(
    requests,
    3_000,
    'Requests per second that the API accepts by default, and that each device route accepts ([limits](deploy.md#load-limits)).',
  ),
  throttleBurst: setting(requests, 5_000, 'Requests that the limit of `throttleRate` accepts in a burst.'),
  anonymousRate: setting(requests, 40, 'Requests per second that each route without a credential accepts.'),
  anonymousBurst: setting(
    requests,
    200,
    'Requests that the limit of `anonymousRate` accepts in a burst. At least `signInBurst`.',
  ),
  ingestRate: setting(requests, 1_000, 'Requests with flow reports per second that the API accepts.'),
  ingestBurst: setting(requests, 2_000, 'Requests that the limit of `ingestRate` accepts in a burst.'),
  liveRatePerSecond: setting(requests, 500, 'New connections and messages per second that the live channel accepts.'),
  tableUnits: setting(
    integerSetting(1_000, 100_000_000),
    40_000,
    'Quota of the AWS account: read units, and write units, per second of one table. An alarm goes off at 80 %.',
  ),
  reserveConcurrency: setting(
    flag,
    true,
    '`false` reserves no concurrency and ignores the settings below. Use it in an account with a quota below 1,000 concurrent executions.',
  ),
  deviceConcurrency: setting(
    concurrency,
    50,
    'Reserved, and maximum, concurrent executions of each operation by which devices open or renew sessions or request authorizations.',
  ),
  signInConcurrency: setting(
    concurrency,
    20,
    'Reserved, and maximum, concurrent executions of each step and page of a sign-in except the callbacks.',
  ),
  ingestConcurrency: setting(
    concurrency,
    100,
    'Reserved, and maximum, concurrent executions that receive flow reports.',
  ),
  callbackConcurrency: setting(
    concurrency,
    50,
    'Reserved, and maximum, concurrent executions of each of the two sign-in callbacks, so that a slow provider blocks nothing else.',
  ),
  changeConcurrency: setting(
    concurrency,
    20,
    "Reserved, and maximum, concurrent executions of each of the two consumers of the table's stream.",
  ),
  flowConcurrency: optional(
    concurrency,
    'Reserved, and maximum, concurrent executions of the consumer of the flow stream.',
    '4 per shard plus 2; 42 with `on-demand`',
  ),
}
