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
  // The API and the live channel are two origins with the same header.
  if (word === undefined || others.length > 0)
    throw new Error('The distribution must send exactly one x-origin-secret header.')
  return word
}

/** Reads and updates the secret header of a CloudFront distribution's origins. */
export function distribution(Id: string) {
  const cloudFront = awsClient(CloudFrontClient)
  return {
    /** Sends this word from now on, in the header that the distribution proves itself with. */
    async send(word: string) {
      const { DistributionConfig: config, ETag } = await cloudFront.send(new GetDistributionConfigCommand({ Id }))
      if (wordOf(config) === word) return
      for (const header of headersOf(config)) header.HeaderValue = word
      // A concurrent change causes a 412, and Secrets Manager retries the rotation.
      await cloudFront.send(new UpdateDistributionCommand({ Id, DistributionConfig: config, IfMatch: ETag }))
    },
    /** The word that it is configured to send; `everywhere` once no edge sends an older one. */
    async sends() {
      const { Distribution: found } = await cloudFront.send(new GetDistributionCommand({ Id }))
      return { word: wordOf(found?.DistributionConfig), everywhere: found?.Status === 'Deployed' }
    },
  }
}

export type Distribution = ReturnType<typeof distribution>
