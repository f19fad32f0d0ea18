import {
  CloudFrontClient,
  type DistributionConfig,
  GetDistributionCommand,
  GetDistributionConfigCommand,
  UpdateDistributionCommand,
} from '@aws-sdk/client-cloudfront'
import { awsClient } from '../../core/aws/clients.ts'

const headersOf = (config: DistributionConfig | undefined) =>
  (config?.Origins?.Items ?? [])
    .flatMap(({ CustomHeaders }) => CustomHeaders?.Items ?? [])
    .filter(({ HeaderName }) => HeaderName?.toLowerCase() === 'x-origin-secret')

function wordOf(config: DistributionConfig | undefined): string {
  const [word, ...others] = new Set(headersOf(config).map(({ HeaderValue }) => HeaderValue))
  // Expects exactly one distinct value, because the origins of the API and the live channel have the same header.
  if (word === undefined || others.length > 0)
    throw new Error('The distribution must send exactly one x-origin-secret header.')
  return word
}

/** Reads and updates the secret header of a CloudFront distribution's origins. */
export function distribution(Id: string) {
  const cloudFront = awsClient(CloudFrontClient)
  return {
    /** Updates the distribution to send this word in the header that authenticates CloudFront to the origins. */
    async send(word: string) {
      const { DistributionConfig: config, ETag } = await cloudFront.send(new GetDistributionConfigCommand({ Id }))
      if (wordOf(config) === word) return
      for (const header of headersOf(config)) header.HeaderValue = word
      // Fails with status 412 after a concurrent change. Secrets Manager then retries the rotation.
      await cloudFront.send(new UpdateDistributionCommand({ Id, DistributionConfig: config, IfMatch: ETag }))
    },
    /** Returns the configured word. `everywhere` is true once no edge location sends an older word. */
    async readWord() {
      const { Distribution: found } = await cloudFront.send(new GetDistributionCommand({ Id }))
      return { word: wordOf(found?.DistributionConfig), everywhere: found?.Status === 'Deployed' }
    },
  }
}

export type Distribution = ReturnType<typeof distribution>
