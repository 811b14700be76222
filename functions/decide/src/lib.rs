//! The decide function: POST /v1/decisions behind API Gateway.
