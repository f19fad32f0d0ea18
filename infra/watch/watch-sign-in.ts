import { Duration } from 'aws-cdk-lib'
import { Metric } from 'aws-cdk-lib/aws-cloudwatch'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { Settings } from '../settings/settings.ts'
import {
  above,
  computedMetric,
  eventMetric,
  fiveMinutes,
  type ServiceMetric,
  type Watch,
  withDefaults,
} from './watch.ts'

/** SES metric for the whole AWS account in the region. It has no data without bounces or complaints. */
const mailReputation = (metricName: 'BounceRate' | 'ComplaintRate'): Metric =>
  new Metric({
    namespace: 'AWS/SES',
    metricName: `Reputation.${metricName}`,
    statistic: 'Average',
    period: Duration.hours(1),
  })

/** Rates at which SES places an account under review. */
const reviewRates = { bounces: 0.05, complaints: 0.001 }

/** Watches for sign-in faults. Missing data never raises an alarm, because nobody signs in at night. */
export function watchSignIn(serviceMetric: ServiceMetric, mailer: IFunction, { mailSender }: Settings): Watch[] {
  const failed = serviceMetric('sign_ins_failed')
  const mailWatch: Watch = {
    id: 'MailsBouncing',
    metric: computedMetric(
      `100 * IF(FILL(bounces, 0) / ${reviewRates.bounces} > FILL(complaints, 0) / ${reviewRates.complaints}, FILL(bounces, 0) / ${reviewRates.bounces}, FILL(complaints, 0) / ${reviewRates.complaints})`,
      { bounces: mailReputation('BounceRate'), complaints: mailReputation('ComplaintRate') },
      'Percent of the rate at which SES reviews an account',
      Duration.hours(1),
    ),
    when: above(80, 1),
    text: 'For an hour the bounce or complaint rate of this AWS account has been above 80 % of the rate at which SES reviews it. SES may stop all mails.',
    runbook: 'passcodes.md',
    coveredBy: 'PasscodesNotMailed',
  }
  return withDefaults(
    { runbook: 'sign-ins.md', coveredBy: 'ApiSilent' },
    {
      id: 'SignInFaults',
      metric: computedMetric(
        // Excludes the 503 responses for unreachable providers, which have their own alarm.
        'IF(faults - FILL(failed, 0) >= 5, 100 * (faults - FILL(failed, 0)) / requests, 0)',
        {
          faults: serviceMetric('faults', 'Sum', { class: 'sign_in' }),
          failed,
          requests: serviceMetric('latency_ms', 'SampleCount', { class: 'sign_in' }),
        },
        'Faults of sign-ins in percent',
      ),
      when: above(5, 2),
      text: 'For 10 minutes more than 5 % of the sign-in requests have failed in the service. People cannot sign in; signed-in people are not affected.',
    },
    {
      id: 'ProvidersFailing',
      metric: computedMetric(
        'IF(failed >= 3, 100 * failed / (failed + FILL(given, 0)), 0)',
        { failed, given: serviceMetric('sign_ins') },
        'Sign-ins that fail at their provider, in percent',
        Duration.minutes(15),
      ),
      when: above(50, 2),
      text: 'For 30 minutes more than half of the sign-ins have failed at their provider: it is down, rejects the client secret, or sends no usable identity. People cannot sign in.',
    },
    {
      id: 'SignInsGuessed',
      metric: serviceMetric('sign_ins_guessed').with({ period: fiveMinutes }),
      // Exceeds the number of requests that three source addresses may send, and by far the usual number of typing errors.
      when: above(1_000, 3),
      text: 'For 15 minutes there have been more than 1,000 wrong emails, passcodes or codes per 5 minutes, from several addresses. Somebody may be guessing.',
    },
    {
      id: 'PasscodesNotMailed',
      // Counts events that Lambda dropped after three attempts.
      metric: eventMetric(mailer, 'AsyncEventsDropped').with({ period: fiveMinutes }),
      when: above(0, 1),
      text: 'In the last 5 minutes passcode mails were given up: SES does not accept them, or the function does not run. People wait for a mail that does not arrive.',
      runbook: 'passcodes.md',
    },
    ...(mailSender === null ? [] : [mailWatch]),
  )
}
