import cdk from '../cdk.json' with { type: 'json' }

/**
 * Feature flags of `cdk.json`, which only the `cdk` command reads automatically; other syntheses need them to produce
 * the same templates. Excludes a deployment's settings in that file.
 */
export const featureFlags: Record<string, unknown> = Object.fromEntries(
  Object.entries(cdk.context).filter(([name]) => name.startsWith('@aws-cdk')),
)
