import cdk from '../cdk.json' with { type: 'json' }

/**
 * Feature flags from `cdk.json`, which only the `cdk` command reads automatically. Every other synthesis needs the flags to produce
 * identical templates. Deployment settings in that file are excluded.
 */
export const featureFlags: Record<string, unknown> = Object.fromEntries(
  Object.entries(cdk.context).filter(([name]) => name.startsWith('@aws-cdk')),
)
