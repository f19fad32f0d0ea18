import { RemovalPolicy } from 'aws-cdk-lib'
import type { Settings } from '../settings/settings.ts'

/**
 * What becomes of a resource with data when its stack is deleted or replaces it: it stays. Where its very creation fails
 * it goes, so that a first deploy that fails leaves nothing.
 */
export const keptBy = ({ keepData }: Settings): RemovalPolicy =>
  keepData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY

/** A bucket that goes with its stack is emptied before: CloudFormation deletes none that holds anything. */
export const bucketKeptBy = (settings: Settings) => ({
  removalPolicy: keptBy(settings),
  autoDeleteObjects: !settings.keepData,
})
