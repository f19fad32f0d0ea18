import { Duration } from 'aws-cdk-lib'
import { Metric } from 'aws-cdk-lib/aws-cloudwatch'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { Settings } from '../settings/settings.ts'
import { above, alike, computed, eventMetric, fiveMinutes, type OwnMetric, type Watch } from './watch.ts'

/** Metric of the whole AWS account in the region. Without bounces and complaints there is no data. */
const mailReputation = (metricName: 'BounceRate' | 'ComplaintRate'): Metric =>
  new Metric({
    namespace: 'AWS/SES',
    metricName: `Reputation.${metricName}`,
    statistic: 'Average',
    period: Duration.hours(1),
  })

const reviewed = { bounces: 0.05, complaints: 0.001 }

/** Watches faults of sign-ins. Nobody signs in at night, so missing data never raises an alarm. */
export function watchSignIn(own: OwnMetric, mailer: IFunction, { mailSender }: Settings): Watch[] {
  const failed = own('sign_ins_failed')
  const mailed: Watch = {
    id: 'MailsBouncing',
    metric: computed(
      `100 * IF(FILL(bounces, 0) / ${reviewed.bounces} > FILL(complaints, 0) / ${reviewed.complaints}, FILL(bounces, 0) / ${reviewed.bounces}, FILL(complaints, 0) / ${reviewed.complaints})`,
      { bounces: mailReputation('BounceRate'), complaints: mailReputation('ComplaintRate') },
      'Percent of what SES reviews an account for',
      Duration.hours(1),
    ),
    when: above(80, 1),
    what: 'Mails of this AWS account bounce, or are complained about, nearly as often as SES allows before it stops them.',
    runbook: 'passcodes.md',
    toldBy: 'PasscodesNotMailed',
  }
  return alike(
    { runbook: 'sign-ins.md', toldBy: 'ApiSilent' },
    {
      id: 'SignInFaults',
      metric: computed(
        // A provider that cannot be reached is an answer of 503, too, and has an alarm of its own.
        'IF(faults - FILL(failed, 0) >= 5, 100 * (faults - FILL(failed, 0)) / requests, 0)',
        {
          faults: own('faults', 'Sum', { class: 'sign_in' }),
          failed,
          requests: own('latency_ms', 'SampleCount', { class: 'sign_in' }),
        },
        'Faults of sign-ins in percent',
      ),
      when: above(5, 2),
      what: 'More than one in twenty requests of people who sign in fail. They are few among all requests.',
    },
    {
      id: 'ProvidersFailing',
      metric: computed(
        'IF(failed >= 3, 100 * failed / (failed + FILL(given, 0)), 0)',
        { failed, given: own('sign_ins') },
        'Sign-ins that fail at their provider, in percent',
        Duration.minutes(15),
      ),
      when: above(50, 2),
      what: 'More than half of the sign-ins fail at their provider: it is down, has ended our secret, or tells nothing to go by.',
    },
    {
      id: 'SignInsGuessed',
      metric: own('sign_ins_guessed').with({ period: fiveMinutes }),
      // More than three addresses may try, and far more than people mistype.
      when: above(1_000, 3),
      what: 'Somebody tries emails, passcodes or codes at length, from many addresses.',
    },
    {
      id: 'PasscodesNotMailed',
      // Tried three times; whoever waits for it gets none.
      metric: eventMetric(mailer, 'AsyncEventsDropped').with({ period: fiveMinutes }),
      when: above(0, 1),
      what: 'Passcodes that people asked for were given up: their mails were not taken, or the function does not run.',
      runbook: 'passcodes.md',
    },
    ...(mailSender === null ? [] : [mailed]),
  )
}
