#!/usr/bin/env bash
# LocalStack runs this in its container once it is ready (https://docs.localstack.cloud/references/init-hooks): template.yaml, by localstack/deploy,
# with the functions that `cargo lambda build --release` has left in target/lambda.
set -euo pipefail
root=${DECIDE_ONCE:-/decide-once}
export AWS_ENDPOINT_URL=${AWS_ENDPOINT_URL:-http://127.0.0.1:4566} AWS_REGION=${AWS_REGION:-eu-central-1}
export AWS_ACCESS_KEY_ID=${AWS_ACCESS_KEY_ID:-test} AWS_SECRET_ACCESS_KEY=${AWS_SECRET_ACCESS_KEY:-test}
exec "$root/localstack/deploy" --built "${DECIDE_ONCE_BUILT:-$root/target/lambda}"
