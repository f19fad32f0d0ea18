import type { Context } from 'aws-lambda'
import { clock } from '#shared/core/clock.ts'
import { env } from '#shared/core/env.ts'
import { watched } from '#shared/core/logging/watched.ts'
import { distribution } from '#shared/jobs/origin-secret/distribution.ts'
import { rotation } from '#shared/jobs/origin-secret/rotate.ts'
import { stagedSecret } from '#shared/jobs/origin-secret/staged-secret.ts'

type Event = { Step: string; SecretId: string; ClientRequestToken: string }

const pauseMs = 15_000

/** Rotates the secret that CloudFront sends with each request. Secrets Manager invokes the function for each step (docs/deploy.md). */
export const handler = watched('rotate-origin-secret', async (event: Event, context: Context): Promise<void> => {
  const { Step, SecretId, ClientRequestToken } = event
  const step = rotation[Step]
  if (!step) throw new Error(`A rotation has no step ${Step}.`)
  await step({
    secret: stagedSecret(SecretId, ClientRequestToken),
    distribution: distribution(env.distributionId),
    now: () => clock.now() / 1_000,
    wait: async () => {
      const hasTime = context.getRemainingTimeInMillis() > 2 * pauseMs
      if (hasTime) await clock.sleep(pauseMs)
      return hasTime
    },
  })
})
