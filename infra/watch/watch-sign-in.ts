import { Duration } from 'aws-cdk-lib'
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { Settings } from '../settings/settings.ts'
import type { Own } from './own-metric.ts'
import { fiveMinutes, type Watch } from './watch.ts'

/** What Lambda tells of events that it keeps for a function. */
export const eventMetric = (mailer: IFunction, metricName: string): Metric =>
  mailer.metric(metricName, { statistic: 'Sum' })

/** Of the AWS account in the region, whoever sends there. Without bounces and complaints there is no data. */
const mailReputation = (metricName: 'BounceRate' | 'ComplaintRate'): Metric =>
  new Metric({
    namespace: 'AWS/SES',
    metricName: `Reputation.${metricName}`,
    statistic: 'Average',
    period: Duration.hours(1),
  })

/** The shares of mails from which on SES reviews an account. */
const reviewed = { bounces: 0.05, complaints: 0.001 }

const counted = (expression: string, usingMetrics: Record<string, IMetric>, label: string, period = fiveMinutes) =>
  new MathExpression({ expression, usingMetrics, period, label })

/**
 * Whether people get in. Nobody signs in at night, so nothing of this is ever dead for want of data; what refuses the person alone
 * wakes nobody.
 */
export function watchSignIn(own: Own, mailer: IFunction, { mailSender }: Settings): Watch[] {
  const [runbook, silence] = ['sign-ins.md', { toldBy: 'ApiSilent' }] as const
  const failed = own('sign_ins_failed', 'Sum')
  const mailed: Watch = {
    id: 'MailsBouncing',
    metric: counted(
      `100 * IF(FILL(bounces, 0) / ${reviewed.bounces} > FILL(complaints, 0) / ${reviewed.complaints}, FILL(bounces, 0) / ${reviewed.bounces}, FILL(complaints, 0) / ${reviewed.complaints})`,
      { bounces: mailReputation('BounceRate'), complaints: mailReputation('ComplaintRate') },
      'Percent of what SES reviews an account for',
      Duration.hours(1),
    ),
    when: { above: 80 },
    periods: 1,
    what: 'Mails of this AWS account bounce, or are complained about, nearly as often as SES allows before it stops them.',
    runbook: 'passcodes.md',
    silence: { toldBy: 'PasscodesNotMailed' },
  }
  return [
    {
      id: 'SignInFaults',
      metric: counted(
        // A provider that cannot be reached is an answer of 503, too, and has an alarm of its own.
        'IF(faults - FILL(failed, 0) >= 5, 100 * (faults - FILL(failed, 0)) / requests, 0)',
        {
          faults: own('faults', 'Sum', { class: 'sign_in' }),
          failed,
          requests: own('latency_ms', 'SampleCount', { class: 'sign_in' }),
        },
        'Faults of sign-ins in percent',
      ),
      when: { above: 5 },
      periods: 2,
      what: 'More than one in twenty requests of people who sign in fail. They are few among all requests.',
      runbook,
      silence,
    },
    {
      id: 'ProvidersFailing',
      metric: counted(
        'IF(failed >= 3, 100 * failed / (failed + FILL(given, 0)), 0)',
        { failed, given: own('sign_ins', 'Sum') },
        'Sign-ins that fail at their provider, in percent',
        Duration.minutes(15),
      ),
      when: { above: 50 },
      periods: 2,
      what: 'More than half of the sign-ins fail at their provider: it is down, has ended our secret, or tells nothing to go by.',
      runbook,
      silence,
    },
    {
      id: 'SignInsGuessed',
      metric: own('sign_ins_guessed', 'Sum').with({ period: fiveMinutes }),
      // More than three addresses may try, and far more than people mistype.
      when: { above: 1_000 },
      periods: 3,
      what: 'Somebody tries emails, passcodes or codes at length, from many addresses.',
      runbook,
      silence,
    },
    {
      id: 'PasscodesNotMailed',
      // Tried three times; whoever waits for it gets none.
      metric: eventMetric(mailer, 'AsyncEventsDropped').with({ period: fiveMinutes }),
      when: { above: 0 },
      periods: 1,
      what: 'Passcodes that people asked for were given up: their mails were not taken, or the function does not run.',
      runbook: 'passcodes.md',
      silence,
    },
    ...(mailSender === null ? [] : [mailed]),
  ]
}
