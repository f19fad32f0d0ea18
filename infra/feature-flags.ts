import cdk from '../cdk.json' with { type: 'json' }

/**
 * Feature flags of `cdk.json`, which only the `cdk` command reads automatically. Other syntheses need the flags to produce the same
 * templates. Settings of a deployment in that file are excluded.
 */
export const featureFlags: Record<string, unknown> = Object.fromEntries(
  Object.entries(cdk.context).filter(([name]) => name.startsWith('@aws-cdk')),
)
