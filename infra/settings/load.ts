import { either, flag, integerSetting, oneOf, optional, setting } from './kinds.ts'

const concurrency = either(integerSetting(1, 100_000), oneOf('none'))
const requests = integerSetting(1, 1_000_000)

export const loadSettings = {
  accountRequests: setting(
    requests,
    10_000,
    'requests a second that the quota of the account gives all its APIs; an alarm goes off before, and no rate below is above it',
  ),
  throttleRate: setting(
    requests,
    3_000,
    'requests a second that the stage and each route of devices let through ([Bounds of load](deploy.md#bounds-of-load))',
  ),
  throttleBurst: setting(requests, 5_000, '… and at once'),
  anonymousRate: setting(requests, 50, 'requests a second that each route without a credential lets through'),
  anonymousBurst: setting(requests, 200, '… and at once; at least `signInBurst`'),
  ingestRate: setting(requests, 1_000, 'flow reports a second that the API lets through'),
  ingestBurst: setting(requests, 2_000, '… and at once'),
  liveRatePerSecond: setting(requests, 500, 'connections and messages a second that the live channel takes'),
  tableUnits: setting(
    integerSetting(1_000, 100_000_000),
    40_000,
    'units a second, of reads and of writes, that the quota of the account gives a table; an alarm goes off before',
  ),
  reserveConcurrency: setting(
    flag,
    true,
    '`false` reserves no functions, whatever the settings below say: for an account that runs fewer than 1,000 at once',
  ),
  deviceConcurrency: setting(
    concurrency,
    50,
    'functions reserved for each operation by which devices open and renew sessions and authorize, and their maximum',
  ),
  signInConcurrency: setting(
    concurrency,
    20,
    'functions reserved for each other step and page of a sign-in, and their maximum',
  ),
  ingestConcurrency: setting(concurrency, 100, 'functions kept for flow reports, and no more of them'),
  callbackConcurrency: setting(
    concurrency,
    50,
    'functions reserved for each of the two callbacks of sign-in, and their maximum, so that a slow provider blocks nothing else',
  ),
  changeConcurrency: setting(concurrency, 20, "functions kept for each consumer of the table's stream, and no more"),
  flowConcurrency: optional(
    concurrency,
    'functions kept for the consumer of the flow stream, and no more',
    '4 a shard and 2; 42 on demand',
  ),
}
