import cdk from '../cdk.json' with { type: 'json' }

/**
 * The feature flags of `cdk.json`, which only the CDK's own command reads by itself: every other synthesis must make the
 * same templates. Settings that a deployment keeps there are its own and not among them.
 */
export const featureFlags: Record<string, unknown> = Object.fromEntries(
  Object.entries(cdk.context).filter(([name]) => name.startsWith('@aws-cdk')),
)
