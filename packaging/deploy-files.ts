/**
 * The files for operators. A list, because an operator may have put secrets beside them, which must not
 * get into a package or an image.
 */
export const deployFiles: readonly string[] = [
  'deploy/caddy/Caddyfile',
  'deploy/docker/Dockerfile',
  'deploy/docker/Dockerfile.dockerignore',
  'deploy/docker/compose.yaml',
  'deploy/docker/healthcheck.mjs',
  'deploy/grafana/muster.json',
  'deploy/kubernetes/config.yaml',
  'deploy/kubernetes/deployment.yaml',
  'deploy/kubernetes/ingress.yaml',
  'deploy/kubernetes/namespace.yaml',
  'deploy/kubernetes/network-policy.yaml',
  'deploy/kubernetes/pod-disruption-budget.yaml',
  'deploy/kubernetes/secret.example.yaml',
  'deploy/kubernetes/service.yaml',
  'deploy/nginx/muster.conf',
  'deploy/prometheus/alerts.yml',
  'deploy/prometheus/prometheus.yml',
  'deploy/systemd/muster.service',
]
