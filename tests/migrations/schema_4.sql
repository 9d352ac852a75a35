BEGIN TRANSACTION;
CREATE TABLE hippo_call (
	study BIGINT NOT NULL, 
	call BIGINT NOT NULL, 
	position BIGINT NOT NULL, 
	record TEXT NOT NULL, 
	state TEXT NOT NULL, 
	device_seconds_before FLOAT NOT NULL, 
	PRIMARY KEY (study, call)
);
INSERT INTO "hippo_call" VALUES(1,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 2}','complete',0.0);
INSERT INTO "hippo_call" VALUES(2,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 2}','complete',0.0);
INSERT INTO "hippo_call" VALUES(3,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 2}','complete',0.0);
INSERT INTO "hippo_call" VALUES(4,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 2}','complete',0.0);
INSERT INTO "hippo_call" VALUES(5,0,0,'{"extra_steps": 0, "max_steps": 8, "min_steps": 2, "num_trials": null, "reduction": 2, "seed": 0, "space": {"configs": "59ee226142dc0ce4f9e3845f75a4ce26e2420362cdd1986e370ac211d4b32499"}, "speculate": false, "ties": "first", "tuner": "SuccessiveHalving"}','complete',0.0);
INSERT INTO "hippo_call" VALUES(5,1,1,'{"evaluate": {"lr": {"arguments": {"value": 0.25}, "sequence": "Constant"}}, "until": 3}','complete',2.54996301009668968617e-03);
INSERT INTO "hippo_call" VALUES(5,2,2,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 4}','complete',2.91011500848981086164e-03);
INSERT INTO "hippo_call" VALUES(6,0,0,'{"tuner": "streaming"}','complete',0.0);
INSERT INTO "hippo_call" VALUES(6,1,1,'{"extra_steps": 0, "max_steps": 8, "min_steps": 2, "num_trials": null, "reduction": 2, "seed": 0, "space": {"configs": "59ee226142dc0ce4f9e3845f75a4ce26e2420362cdd1986e370ac211d4b32499"}, "speculate": false, "ties": "first", "tuner": "SuccessiveHalving"}','complete',6.17206500101019628345e-03);
INSERT INTO "hippo_call" VALUES(6,2,2,'{"evaluate": {"lr": {"arguments": {"value": 0.25}, "sequence": "Constant"}}, "until": 3}','complete',8.44002200392424128949e-03);
INSERT INTO "hippo_call" VALUES(7,0,0,'{"tuner": "Querying"}','complete',0.0);
INSERT INTO "hippo_call" VALUES(7,1,1,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 4}','complete',1.64912870022817514836e-02);
INSERT INTO "hippo_call" VALUES(8,0,0,'{"tuner": "Querying"}','complete',0.0);
INSERT INTO "hippo_call" VALUES(8,1,1,'{"extra_steps": 0, "space": {"configs": "59ee226142dc0ce4f9e3845f75a4ce26e2420362cdd1986e370ac211d4b32499"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 6}','complete',1.23262269917177036404e-02);
INSERT INTO "hippo_call" VALUES(9,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 3}','complete',0.0);
INSERT INTO "hippo_call" VALUES(10,0,0,'{"tuner": "streaming"}','failed',0.0);
INSERT INTO "hippo_call" VALUES(11,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 3}','complete',0.0);
INSERT INTO "hippo_call" VALUES(12,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 3}','complete',0.0);
INSERT INTO "hippo_call" VALUES(13,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 3}','complete',0.0);
INSERT INTO "hippo_call" VALUES(14,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 3}','complete',0.0);
INSERT INTO "hippo_call" VALUES(15,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 3}','complete',0.0);
CREATE TABLE hippo_checkpoint (
	"plan" BIGINT NOT NULL, 
	"key" VARCHAR(255) NOT NULL, 
	node BIGINT NOT NULL, 
	step BIGINT NOT NULL, 
	size_bytes BIGINT NOT NULL, 
	sha256 TEXT NOT NULL, 
	state_hash TEXT NOT NULL, 
	seconds FLOAT NOT NULL, 
	study BIGINT NOT NULL, 
	gone TEXT NOT NULL, 
	PRIMARY KEY ("plan", "key")
);
INSERT INTO "hippo_checkpoint" VALUES(1,'dd9c6d2fb4d241c38e57acb20e20d00d/p1/e1-l1-n1-s2',1,2,149,'f8a3f93a37c00e88ce9aec8021cfca7b48e9800e6de18848e520ba66bc1e4258','81608b9055b377a465c56b4e992e972e2d460886e8656929c66c2db1d5ae499b',2.86132999463006854057e-04,1,'missing');
INSERT INTO "hippo_checkpoint" VALUES(1,'dd9c6d2fb4d241c38e57acb20e20d00d/p1/e1-l2-n2-s2',2,2,149,'f5c0c59a40e0c68372aadea1f6a8914801dfcb09382788fc2da454967255602a','56494864e705081ac8e52b7d9cda6912f8e44e0a20470dbcf7a747e3f346d3ae',1.66490000992780551314e-04,1,'missing');
INSERT INTO "hippo_checkpoint" VALUES(1,'dd9c6d2fb4d241c38e57acb20e20d00d/p1/e1-l3-n3-s2',3,2,149,'18e4031bbd125a23dc462e3824fd05edd1b174b47a798126961cfd8b8bc0f25e','336a68a104565d6c827edcb36bb68e36d434ab881fe9ebf6ea384ea37d19f149',2.05203001314657740294e-04,1,'missing');
INSERT INTO "hippo_checkpoint" VALUES(2,'dd9c6d2fb4d241c38e57acb20e20d00d/p2/e1-l4-n1-s2',1,2,149,'438c402d0bfa393946654e6ae8021c06e083ed1ed346ae4561ec85dc029b3441','3bec757eb724b8f7f5c9bcce718cb8d6412c447b5daedf17153e0344cea75e95',2.13067000004230067133e-04,2,'missing');
INSERT INTO "hippo_checkpoint" VALUES(2,'dd9c6d2fb4d241c38e57acb20e20d00d/p2/e1-l5-n2-s2',2,2,149,'5aa09398887e502bb9e088dc66d59c24481a542e3e0a1bb558fa33fcc6c56493','c6facb0d31f577a89d05a61149d5f127268e9847f7e57b83e6160f72a01dfe2e',1.29722000565379858016e-04,2,'missing');
INSERT INTO "hippo_checkpoint" VALUES(2,'dd9c6d2fb4d241c38e57acb20e20d00d/p2/e1-l6-n3-s2',3,2,149,'eddcd18c2d414cd22d6f58911b0b86a0f36f02644a7e5efb02e3d1cfda6f056a','b76d724ab1021ddbca984077b42f2ef47e9f6afd0f4185c5034400861eb27251',1.4202499914972577244e-04,2,'missing');
INSERT INTO "hippo_checkpoint" VALUES(1,'dd9c6d2fb4d241c38e57acb20e20d00d/p1/e5-l4-n4-s2',4,2,149,'3429f02cc3ab8a50e477b3409ddf8f55c7990bb760a98e83806b25bfc4ffb5c0','ea2b48c404daa167e6dc118876a7d7a92d88ec9249a46af9884a758edc9bf4f0',1.96166000023367814719e-04,5,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'dd9c6d2fb4d241c38e57acb20e20d00d/p1/e5-l5-n5-s4',5,4,149,'d532e0d17d17d206f7a49296f728e60c8f9f730faabbc3efa20eaa5655f21a4e','c6c5ed2db70247d111ed0a2d562895870fd6587cde669889fc0de7c1e0f7108c',1.5027000154077541083e-04,5,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'dd9c6d2fb4d241c38e57acb20e20d00d/p1/e5-l6-n5-s8',5,8,149,'d6b319d943050f0887f7bd9bc06d45c70a5e6808ea145236b1d48cea2a59e734','7ccf99507720545ab465d548971ed34b76068852a4df47d63779e8878eaeffe5',1.51001000631367787718e-04,5,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'dd9c6d2fb4d241c38e57acb20e20d00d/p1/e6-l7-n6-s3',6,3,149,'8f1c0d51b813bc77b1665379d5e38695fe05d7e60cfdf351fa8e831d13969398','8f87b52ea89e85a609579d42e1d1d059185fdbff14b82529aecc291ade59c2dc',1.39289999424363486468e-04,5,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'dd9c6d2fb4d241c38e57acb20e20d00d/p1/e7-l9-n1-s4',1,4,149,'8d436d2080b0cf5beb378056a72adbaff16066702b0e23b3e5a5061b9129d4e5','40bfd8acb39008f8fc629cef63fe26a3bf4bb9a39eff8bc1657b8beb0a372b4f',1.80376000571413896977e-04,5,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'dd9c6d2fb4d241c38e57acb20e20d00d/p1/e7-l11-n2-s4',2,4,149,'7f03d053377a241e35b26875ecb65bcd5f68318033b52526a00b892683323d69','55e209a12f3927e87c36304dbf60b8650447db6b8cd0cac7e6b98259c2eac41f',1.39339001179905608296e-04,5,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'dd9c6d2fb4d241c38e57acb20e20d00d/p1/e7-l13-n3-s4',3,4,149,'65b7e2765092a116f09ebf7470eea9feb6fa3b3bb1a51dd3bbb2c05ae94272e6','f857fccbf78e7b2393676545b71bfc4967635ed92015c3452ebf650feadaa122',1.36474998726043850183e-04,5,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'dd9c6d2fb4d241c38e57acb20e20d00d/p2/e2-l14-n4-s2',4,2,149,'ae9eea2e452f180ca9abef74916a7868480466192782a92023b4cdca74a7462d','f89007e3e104f22f3cb4f135c5798ae243cd19a35b647752c69c8a3d6b79e68b',1.82941001185099594295e-04,6,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'dd9c6d2fb4d241c38e57acb20e20d00d/p1/e8-l15-n7-s2',7,2,149,'562fb6ddfce12d3014856db82bfb0321550e64aae037171eeb7166ba65e572e0','c24331926e9a3fa6b70a88044be9e146aad54426bf2a568a5dbd40c787364b79',1.59768000230542384088e-04,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'dd9c6d2fb4d241c38e57acb20e20d00d/p2/e2-l16-n4-s4',4,4,149,'fb25d107b07e80dcffdb9a97eded53401819c19496bc9bd99e0f002b2d77b39d','3f6c1e6a76ab985747271cc33e4b7047def94b02fec9ad7cb90d514f36c3356d',1.25434000437962822616e-04,6,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'dd9c6d2fb4d241c38e57acb20e20d00d/p1/e8-l17-n7-s4',7,4,149,'993f3cf3d2857ff2e4b311821bd0f76f973003398171ee7e9d6a49bf968dd520','7b360b708c96252fa1ce14c47cc443d2013082d5fdd761922bab9e7f7a37c99f',1.98620000446680933237e-04,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'dd9c6d2fb4d241c38e57acb20e20d00d/p2/e2-l18-n5-s2',5,2,149,'e0196cd0a4e59d6b4dd5a559152edb6aec54da31b7f822726d66304703392313','b24a71e32f50cf1c7153914a93700c3aec4af0fa151806f6280e9c487f3778b3',1.61961999765480868518e-04,6,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'dd9c6d2fb4d241c38e57acb20e20d00d/p1/e8-l19-n8-s2',8,2,149,'e07a8dbba1e3d0b98e5ad707ac30a2aa5c160671d3c9ae6692e7363b9e46a47c','5d088ba1ca5e0e8559a355fb19e4696ab5388762e77325dea1dbc23b37e9974f',1.4823599849478341639e-04,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'dd9c6d2fb4d241c38e57acb20e20d00d/p2/e2-l20-n6-s2',6,2,149,'f65d25ee100ca3696b8f694837563f3345121e769384facb009f3ac0b4d479c6','16e61b832fa0c2e7e967e965da8fe80437fd30e40848142105640840645f14ba',2.30289000683114863932e-04,6,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'dd9c6d2fb4d241c38e57acb20e20d00d/p1/e8-l21-n9-s2',9,2,149,'49837bf358b41670df0f3d5d5058e47291ca77f70a9f334c1997d18ee5b64613','44d6ace46f7d7ba1c67ab9ecbcb01161a070b5244f417c89f2eb477ad9fcd302',2.71455999609315767884e-04,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'dd9c6d2fb4d241c38e57acb20e20d00d/p2/e2-l22-n7-s2',7,2,149,'b669d48e586a99a4a7e8b3a97f9e8a079baf8e6db7baecadd59b555dcbb753d8','c9a1608d29b793a344f5412c2412446b3f6b59aadb303e91655824ac14164f6b',1.19804000860312953591e-04,6,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'dd9c6d2fb4d241c38e57acb20e20d00d/p1/e8-l23-n10-s2',10,2,149,'970b5684cf27744174538996444422be675cd3fdd64a0c2a5880186c0f5a112c','6dd45e138dbd40b70e1974e4f00bff0d96be4806206edf6a67c31de4c546a3ac',1.05888000689446926116e-04,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'dd9c6d2fb4d241c38e57acb20e20d00d/p2/e2-l24-n7-s4',7,4,149,'80f16f81dcad91ab530319929e719d0c2d53ad4fd7ca245efa16e0afb78cfcf5','e920267c6ccfbfb537924d8e605a0c608a16a07c084522ed3281c21512016f43',1.30974000057904049754e-04,6,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'dd9c6d2fb4d241c38e57acb20e20d00d/p1/e8-l25-n10-s4',10,4,149,'c2627cbf29277c4f94bea5902f9aa7f8fa2976e67cf26ba34f4b9db046cd59e3','5b9fd77ba6e56062d329fe4c6e76843db24c6244b33d48414dfec89b74a3ad91',1.06098001197096891701e-04,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'dd9c6d2fb4d241c38e57acb20e20d00d/p2/e2-l26-n8-s2',8,2,149,'673deec29c0f02b6e5c4eb9386c141d8cc50a8286d553c2ba6391ec316d99d6c','4e585ae47a3fbb6d0cab636a69168908a1b8ce45e0bc23c33efba573c2937823',1.37205001010443083941e-04,6,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'dd9c6d2fb4d241c38e57acb20e20d00d/p1/e8-l27-n11-s2',11,2,149,'3e7b17961ec647db728b713ce56d8336ce0967649d30f1f8eeb298d3291ca50c','b8811bcff2c2822f57ff29afe6837f119bd85147e416556e9c9ee07232b4838d',1.20914999570231884717e-04,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'dd9c6d2fb4d241c38e57acb20e20d00d/p2/e2-l29-n3-s4',3,4,149,'f0484799e1ee799b15d8df72c53e07113f8ac702a83b3cae0c431c4cd5749f80','fe6cd1c6e056bc3c5b53e524f6b93437daacbf827e569775f540b85ddfaa3bed',1.55219000589568167924e-04,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'dd9c6d2fb4d241c38e57acb20e20d00d/p2/e3-l30-n9-s2',9,2,149,'23fd29b74ce166943eb73c62b044b44bbe7fb2fe415f7e3243ad4c0c7243ae28','e060c5f98d5d966e5e4db455da049d5fb8355eb8ba0e808da4c5f63cf11d1cf8',1.91396999071002937853e-04,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'dd9c6d2fb4d241c38e57acb20e20d00d/p2/e3-l31-n10-s4',10,4,149,'a3baa19c2e77755dc40d055d015f5f546f6fa0de42a4171a7bc991cd29617ee4','eb4956d93320110551e2cfda932fb7909b23e07f5c88499926cef3735443574b',1.78102000063518062233e-04,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'dd9c6d2fb4d241c38e57acb20e20d00d/p2/e3-l32-n10-s8',10,8,149,'5090b6b3566d4e17d9b1ac71d8f3fec9d42a4a4de47ee13f63b38c1de9c363f1','1e706ac9bf5a65263776d8ea55f9d099985e9d4aa62e2281f74f1fb135e32ecd',1.92298999536433257162e-04,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'dd9c6d2fb4d241c38e57acb20e20d00d/p2/e4-l33-n11-s3',11,3,149,'bac8bb6640c4f69d6f0c06cdc4a8954374ecc1e8f46adbc516810ff01b922c71','43e94f03ee38d51e6f61df5a1523034a23aaff3162e79f59fed4a0a0ddfa1f2b',1.86606999704963527619e-04,6,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'dd9c6d2fb4d241c38e57acb20e20d00d/p3/e1-l1-n1-s2',1,2,149,'5c99327d4e379d51f71ab587107e3147aa5f488bc6bbf265a5a64da20a444955','3d39ed117309851de4116e9162c7b29470c348b1598bd86d000512d95d358bf5',2.56809000347857363522e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'dd9c6d2fb4d241c38e57acb20e20d00d/p3/e1-l1-n2-s6',2,6,149,'ac46f0c30070c6405a59a64ac0eec2a24e8419f9589d676b09e5917451079ba6','106d8f7dc165040ea7a9eba188a1a49527a4192c7a5c3956d1a0c421894ed413',1.5281500054697971791e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'dd9c6d2fb4d241c38e57acb20e20d00d/p4/e1-l2-n1-s2',1,2,149,'6343a3b45846caf367d6a52f8ef4a0ce20f454966040c946bbb3142886d8e956','b84cfad7812a3c5335cfeaf8157470e8c94da25ce39643dab68088659b8f1c07',1.77131001692032441496e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'dd9c6d2fb4d241c38e57acb20e20d00d/p4/e1-l2-n2-s6',2,6,149,'835d45531265dc41a35a455ab7415937e1d40daba626167934d52e5868e8b5a2','0a5835ad9be5026cb24c0eeaff96d4ada0f7e082c8af8a8a0d77d8b6ff62e933',1.61039999511558562517e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'dd9c6d2fb4d241c38e57acb20e20d00d/p5/e1-l3-n1-s2',1,2,149,'7fc7c769e508cd5dc4d65af9ab3a9436a67a2b833b5bbea24363584454f885e7','b85e094b37ff205bc91eae32b959aa1ba3f3ebe41bf74b8de31dcdb33cfe85f0',1.54588999066618271172e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'dd9c6d2fb4d241c38e57acb20e20d00d/p5/e1-l3-n2-s6',2,6,149,'4680cfc08a48f4b70d9fb42bf934a89a3dcbd7b910d79328ff263ee2b33b1090','8d4f756e901a086d9fca67c480a92504e36cbda5b422ed361ad16c600a777692',1.11588000436313450336e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'dd9c6d2fb4d241c38e57acb20e20d00d/p3/e1-l4-n3-s6',3,6,149,'b217e3fb8f9223d26340e9aa6afa0862b0a2cfcfd3f7927275356c5b396be057','202f806acc7426064f84bb24911dadd6ba3da8af9a9698372b1008a40ee1a07e',1.4391800141311250627e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'dd9c6d2fb4d241c38e57acb20e20d00d/p4/e1-l5-n3-s6',3,6,149,'2b63d32080a4ae3b67577630edfa1827891fda814d38d7a12585252dc030d0a0','f7a8815999beee21d9d27cb6a179cf73dbc6cb74f53f09900a957f2aac0764f6',1.44219000503653660416e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'dd9c6d2fb4d241c38e57acb20e20d00d/p5/e1-l6-n3-s6',3,6,149,'3ffcd3ddc0aafd874ac6b2e8c17e6460f03935e40a9311da76d5e8b85f004d87','d7cfb89d7bbda5db56f733ee273efffc29a6ad8caaffaacca5b9f7af2416e67e',1.24312000480131246149e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'dd9c6d2fb4d241c38e57acb20e20d00d/p3/e1-l7-n1-s4',1,4,149,'14fcd6fadcbe7e12e63b2d4c0ac4ae15816864225d6ad68ee3765003b9c776d0','7d07a3e631e5ae1e87488ec07cb45356e09f4322f26461518244aaedfe479c98',1.85676999535644426941e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'dd9c6d2fb4d241c38e57acb20e20d00d/p3/e1-l7-n4-s6',4,6,149,'5a28bbae1f03ad442c0954626d5fb40b238d89c0dd0c0877e4f23345bdc9604f','cdb1ff3cf884afa1cff95e0bf9e9f0642a4296574b48da5a8dbeb9824736f590',1.00777000625384971499e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'dd9c6d2fb4d241c38e57acb20e20d00d/p4/e1-l8-n4-s6',4,6,149,'dc86787f06e2c9b97df599324d052cf7f7d2adf5682f7c3c24f9078fc099ac59','3057041505e33f095b3ea8ef0b064d91d656a0afc7a4ce1a76bab241723b259a',1.19272999654640443623e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'dd9c6d2fb4d241c38e57acb20e20d00d/p5/e1-l9-n4-s6',4,6,149,'b631d1e3073fb2639dc571fdd7e68bc246692f6d2bbe74e2f05e18bee83cb2ba','be536ccee8f6b9ae75ff1196844acfe7dfa9ad539d6c3b0fd9abe38dcf711176',1.21676999697228893637e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'dd9c6d2fb4d241c38e57acb20e20d00d/p4/e1-l10-n1-s5',1,5,149,'679b14012ce35b1635c47f3cb6de62596f47080533d006c4e445972444a97c0c','0735fe4163f7aa5e706eeb7c62f592aa607bdca5a78a6c2360bf87f2f6d4a67d',1.42344999403576366603e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'dd9c6d2fb4d241c38e57acb20e20d00d/p4/e1-l10-n5-s6',5,6,149,'fc4f2558241bfda61764d009530002f837844c1c0b2c2f868fc5e1b840eadcd2','3137f7d9837d0f7499f7d7b991a881e04dd804082834032cdc7141716c2a8790',8.99980004760436713695e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'dd9c6d2fb4d241c38e57acb20e20d00d/p5/e1-l11-n1-s5',1,5,149,'836e89ca8c347929a5d4e55898f6efa4271ead10535327dc8c0eaf247315e8ba','baf52bf43b40c23d50ac507d16d2af1a03cc4a7046113fb9d1aa493a698697f0',1.1161699876538477838e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'dd9c6d2fb4d241c38e57acb20e20d00d/p5/e1-l11-n5-s6',5,6,149,'5db10a32cb2b62e95b90765520d57962ea85814006a4186442d84fc1a27b97d8','9b806778137175035b67b0f3b4ab694bbfe535c36a4cb07e0fac525757efdef3',8.16419997136108577251e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'dd9c6d2fb4d241c38e57acb20e20d00d/p3/e1-l12-n5-s6',5,6,149,'636eb5c821ee921afca1793fb3adf30fe77fb7a3b1062aa59db81dd58fe0163e','a8e2cf64d5f4d0d71dfc134bf1c80dbe87740e97ce8e38acef18701867925949',1.36063999889302067458e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'dd9c6d2fb4d241c38e57acb20e20d00d/p3/e2-l13-n6-s4',6,4,149,'85a98d5fab9338b029b183fe136493fa309232f33be901680c44344f7c786194','907ab37828da271c886d2544ec2c1cd4c3bdba5694dabe8c716991dc6ff6ad76',1.60068999321083538234e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'dd9c6d2fb4d241c38e57acb20e20d00d/p3/e2-l14-n7-s4',7,4,149,'3f4f64ca996f8ca0e6fe345f567f4f6825ae637acd3421da64ce861162bf7153','cee33f2e9b6ea3e218156f001f1b739229d949080c03a1ed9799cf97e43a2b2f',1.29019999803858809173e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'dd9c6d2fb4d241c38e57acb20e20d00d/p3/e2-l15-n8-s4',8,4,149,'230f1d2f0f4bf0d69b2c3d5fc281642e5d479e1756cdbe9061d07b773c98827f','e52d097cf4d6c80a5108e7bb530ca5fa7f5fe910068dd308a7cca9148559fe3a',1.44830000863294117152e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'dd9c6d2fb4d241c38e57acb20e20d00d/p4/e2-l16-n6-s4',6,4,149,'d2e1ff26b963a3ac8cda3db9037b69bd09a68e54e2003f88728deaa7ccba1553','5936f8f892bda8c37d8ba8e05666d9db2d7127b172937a44501e8d78b2219070',1.29330999698140658438e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'dd9c6d2fb4d241c38e57acb20e20d00d/p4/e2-l17-n7-s4',7,4,149,'dd06cec806947d419a13447c88363e430f793e3d4ab725db4a4b8f1dc7b3b9d1','c34510328c6961cd8599c121751da78e526329f5e1c76ba1c3e5c154f58476c7',1.56983000124455429613e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'dd9c6d2fb4d241c38e57acb20e20d00d/p4/e2-l18-n8-s4',8,4,149,'585976031d48a5779b95a073dc682b9fbaf753d67dc70d4cb18bc27f1128268b','eb244d2f83d1df153486bcedda8686e1a293513ab919dfb0bdb4f6d05081bc88',1.61601999934646300971e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'dd9c6d2fb4d241c38e57acb20e20d00d/p5/e2-l19-n6-s4',6,4,149,'ba20dff6a7064e30b90e2c0f767122766af701c7f0b9cd8ca9391bd17f449d14','9ff213c9244c06c86a6dd7ffff4a45fce142fa1d75b145be1e1e72701924c52e',1.88550999155268073081e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'dd9c6d2fb4d241c38e57acb20e20d00d/p5/e2-l20-n7-s4',7,4,149,'bc5e44ec9cc3d3fb2173e26b3309a24bdfa0af22c3f0a2eec005b6c5ecd6fc68','93c595d68e8e37395e4f4db70f929ce5117bb5824fdb94c6e423d50b9678a714',1.48527000419562682509e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'dd9c6d2fb4d241c38e57acb20e20d00d/p5/e2-l21-n8-s4',8,4,149,'203e7e97e8bede982bf128a0ecd60054d1bc8e08007955a1a2dd6d42179cad15','f327eb8a3d24395a98424014c9d202acca9fb96ebb8130b88df4931287c5124a',1.34150001031230203807e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'dd9c6d2fb4d241c38e57acb20e20d00d/p6/e1-l1-n1-s2',1,2,149,'3429f02cc3ab8a50e477b3409ddf8f55c7990bb760a98e83806b25bfc4ffb5c0','ea2b48c404daa167e6dc118876a7d7a92d88ec9249a46af9884a758edc9bf4f0',0.000181669000085094,8,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'dd9c6d2fb4d241c38e57acb20e20d00d/p6/e1-l1-n2-s6',2,6,149,'dcd49db1653830076be015b6305884e284230e1c583e1ba922157136629ec107','b9c59c55c1fe0d3b17d09723229a3d23d418e2ac950f050ea6f03d1fec0410c2',1.26405999253620393574e-04,8,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'dd9c6d2fb4d241c38e57acb20e20d00d/p7/e1-l2-n1-s2',1,2,149,'23fd29b74ce166943eb73c62b044b44bbe7fb2fe415f7e3243ad4c0c7243ae28','e060c5f98d5d966e5e4db455da049d5fb8355eb8ba0e808da4c5f63cf11d1cf8',2.02727998839691281318e-04,8,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'dd9c6d2fb4d241c38e57acb20e20d00d/p7/e1-l2-n2-s6',2,6,149,'0fc4af6a64a57122f0c4969e7c7a139f52d372a8fb342eab6ee6e5fdc5006cf6','60daac999ac77fe06e6d1e1ac5d96bb03cd0f40959636f4a55bf2db0901e4358',1.3387899889494292438e-04,8,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'dd9c6d2fb4d241c38e57acb20e20d00d/p7/e1-l3-n3-s3',3,3,149,'e4d8295e4bbe9b25f46ea25f8a3b0c0092fd217a11905e558efd120b5b115c62','0fd2c7011dd20de0816990efd9cf1de67ec5fd116c6903cf827010ee904b7e08',1.4618299974245019257e-04,8,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'dd9c6d2fb4d241c38e57acb20e20d00d/p7/e1-l3-n4-s6',4,6,149,'943d0b1697a7d5ff32af9e4daa2197949c3826e551671c7955cac57ebee065ca','388a2c86da97c10344907323be57be5b491208f614d4bdfd4bbf443fb1806a31',1.07048999780090525746e-04,8,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'dd9c6d2fb4d241c38e57acb20e20d00d/p6/e1-l4-n3-s3',3,3,149,'22dd6ad774cedbf317fcca268e0591b0b1e34fbe575a009d43d38031239211b0','0fcb948aead3fda09fe443b148b569ae1ec390e158e87ccd5168e86b1f4015cb',1.48937999256304465234e-04,8,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'dd9c6d2fb4d241c38e57acb20e20d00d/p6/e1-l4-n4-s6',4,6,149,'373cd7fb374a043b8bf5f8b6a3901bedfaffa94ef84185f25951adca92aad1e8','d7bd2605606570415dd8629f1c080da1643e5fa9086e7ff71c446a4e2461cca8',1.03433001640951260924e-04,8,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'dd9c6d2fb4d241c38e57acb20e20d00d/p7/e1-l5-n5-s4',5,4,149,'f6a33daed63637e582ab95f722589c1f0823c5296a2a00fc886ed7bc25c25aac','0d8fb9a8e721ceff92d8d70dfff789f30310b29f9cd6173ba34cf1f7adedf8a8',1.41313001222442835569e-04,8,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'dd9c6d2fb4d241c38e57acb20e20d00d/p7/e1-l5-n6-s6',6,6,149,'86c72b6a9646e279532bf8ce134305e85f52d13134e89fa358dd54c776a34c1a','42beacd6bbc9a7b03bab4e513a7f895cd82902e32b4499079782cfaa430f2722',1.70056999195367097854e-04,8,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'dd9c6d2fb4d241c38e57acb20e20d00d/p6/e1-l6-n5-s4',5,4,149,'13289fea411b673d42be36708db990441968ca788028e4ad94bb5b22e265e64d','a7db5c1729f4260b4c35968eb98e004c28281c79d4834942e92f50af1e9badfd',2.20611000258941203355e-04,8,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'dd9c6d2fb4d241c38e57acb20e20d00d/p6/e1-l6-n6-s6',6,6,149,'4ab79339845470baa83775547d11500f97fc55983c1742483ec076c7f0f307cd','c075d5dd50caba1ef5d6786cc6f0394f1b822a87110a5dd8397191b91290550c',1.42275001053349114954e-04,8,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'dd9c6d2fb4d241c38e57acb20e20d00d/p7/e1-l7-n7-s5',7,5,149,'a53b59f256258535de28a511306597d69e34623a0b5c59bac6ec41c3b1830859','f822aafecd7ad221a5060c2f1a15f4d4eefd514591ffb070c685bafd8656d57d',2.22805001612869091331e-04,8,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'dd9c6d2fb4d241c38e57acb20e20d00d/p7/e1-l7-n8-s6',8,6,149,'0b8fff1c83f51a9baead38da4ac6e381ef16112ae2adf8576797af7a32dfa483','183c3ef6e4615b644a7a2f0f588fbe0758900341be72435f1c898583e975a853',1.12850999357760883867e-04,8,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'dd9c6d2fb4d241c38e57acb20e20d00d/p6/e1-l8-n7-s5',7,5,149,'bdcba31ef712033c0c67d464c53a617eddf456eaf5dff91f6c0650073ba0edf6','0680ec494bd71511e37dacf4b06249796c01c5589c76d051eacb524f0ad309a7',1.35352000143029727041e-04,8,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'dd9c6d2fb4d241c38e57acb20e20d00d/p6/e1-l8-n8-s6',8,6,149,'f395b3ef12f00ee877b9054eba18520af91c9c1419abc6597c90585defdea3c5','75e2559ebb8db4b0d3625153b373727731938ea5f49e247bdcce22fee9f244bf',9.5067000074777752161e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'dd9c6d2fb4d241c38e57acb20e20d00d/p7/e2-l9-n10-s6',10,6,149,'69ff3127693c685a6f3c8298075ad4a875af786880df63ee28e11a5c481616f2','5abc37a6a7fb36c40f1eec424d522c1cf9a8d5f27a3e9272885815d84150f1d9',1.46893000419368036091e-04,8,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'dd9c6d2fb4d241c38e57acb20e20d00d/p6/e2-l10-n10-s6',10,6,149,'00e3340c34144cadbe72e7d3a0518f1f079ed2bf6872d39277cd569fa02ef8d6','f76ed637dee1f1f8dff51df4599ae88b756e9cc8fe686085a514383a22bf7d33',1.4546100101142656058e-04,8,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'dd9c6d2fb4d241c38e57acb20e20d00d/p6/e2-l11-n12-s6',12,6,149,'9bc08c7353892fd45924dd89dd30e2ee1d2d69dd69ff4ba44a32a81a7773cec5','6bedde26aacbc1b956a8b73e9b59af07b3e2711ae1386670aba6c88df5315038',2.10913000046275556087e-04,8,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'dd9c6d2fb4d241c38e57acb20e20d00d/p6/e2-l12-n13-s6',13,6,149,'42f2244fb586dbbaebc4f9d0c6a06861cfe40384cb7a8ded43b277ef05626771','b16b8bdf9fa5b2066862ce627f84cbd910d2eeb67d1764ab276bdd5a408624dc',1.48556999192805960774e-04,8,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'dd9c6d2fb4d241c38e57acb20e20d00d/p7/e2-l13-n12-s6',12,6,149,'464a1c8b86c7b4e002f84829272e5fceb1277df3a41b4e09b2f6a0ad8e1b57c7','934c3ca92fb3ac0250536168168aa1968377aced17b48d09d68ca8416adc333d',1.53115001012338325381e-04,8,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'dd9c6d2fb4d241c38e57acb20e20d00d/p7/e2-l14-n13-s6',13,6,149,'4356688607b98e1e18bbf2c4b411b5a5acf3c5fd38e7e803d35c74e1fee45be7','746d4acf4ece4bf504504100b69802f82b04bf9abc8638107cccf0c5d46ad3d8',1.60027999299927614629e-04,8,'');
INSERT INTO "hippo_checkpoint" VALUES(8,'dd9c6d2fb4d241c38e57acb20e20d00d/p8/e1-l1-n1-s3',1,3,149,'8144b5b32f65bc9b0ec79d6bad4fe86949f5fbc78f69ef926f3746e3eba67c26','148b058bc0165a883d64c3ca04a86d2f4dd4c2f919f514aea59b55a20d58fe73',1.53094999404856935143e-04,9,'');
INSERT INTO "hippo_checkpoint" VALUES(9,'dd9c6d2fb4d241c38e57acb20e20d00d/p9/e1-l2-n1-s3',1,3,149,'c5e06a77b74f549f18f708d149ceb21d92391ae061ec6f230dd34147aace8e0a','9017406bdb34e44760000b45db36a86cd7641e058313270ff9985f59bb49e41f',1.49739000335102900862e-04,9,'');
INSERT INTO "hippo_checkpoint" VALUES(8,'dd9c6d2fb4d241c38e57acb20e20d00d/p8/e1-l3-n2-s3',2,3,149,'053f4c4a96dcbd8520ced90cdb96b74854a2b69650c020fffdc76b94d3ed4b90','822c570fc6c7d3af2b51e7e8fe42e1f391560909a1e5009c157aac57bee39f04',1.84724000064306892454e-04,9,'');
INSERT INTO "hippo_checkpoint" VALUES(9,'dd9c6d2fb4d241c38e57acb20e20d00d/p9/e1-l5-n2-s3',2,3,149,'506d2581be65469a096c8ffdc4f2c66cb34920870eeaad7b4bc8d840e624c39a','08b8ec5ba7c1cc826f182dc585a3e6d01f1a557a79719fa252f2c3f589703f4e',1.56801999764866195619e-04,9,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'dd9c6d2fb4d241c38e57acb20e20d00d/p2/e6-l35-n1-s3',1,3,149,'c5e06a77b74f549f18f708d149ceb21d92391ae061ec6f230dd34147aace8e0a','9017406bdb34e44760000b45db36a86cd7641e058313270ff9985f59bb49e41f',2.16844000533455982804e-04,12,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'dd9c6d2fb4d241c38e57acb20e20d00d/p2/e6-l37-n2-s3',2,3,149,'506d2581be65469a096c8ffdc4f2c66cb34920870eeaad7b4bc8d840e624c39a','08b8ec5ba7c1cc826f182dc585a3e6d01f1a557a79719fa252f2c3f589703f4e',1.51823000123840756714e-04,12,'');
INSERT INTO "hippo_checkpoint" VALUES(10,'dd9c6d2fb4d241c38e57acb20e20d00d/p10/e1-l1-n1-s3',1,3,149,'9b132eac82b0db8a9595128857f10e2356b9558523a4b537d163ce030803c1b8','2c89878e8b04ab0e5bc0e673e20cd8f5f44ef39bda139514feb6d56a1575121b',2.51348999881884083151e-04,13,'');
INSERT INTO "hippo_checkpoint" VALUES(10,'dd9c6d2fb4d241c38e57acb20e20d00d/p10/e1-l2-n2-s3',2,3,149,'a41546de024354459202ecfe4578173d45836750135acfe5743308efe7489f97','6ce4e3ff5b4c9d028b52b6b581f4769575173cc05a817a1c1fd0fc121b90deb2',1.58935999934328719973e-04,13,'');
INSERT INTO "hippo_checkpoint" VALUES(10,'dd9c6d2fb4d241c38e57acb20e20d00d/p10/e1-l3-n3-s3',3,3,149,'560291cfc756cbb5315e3fcad1fdb20c983c3f4069d3607e54529691f073c96b','c2dbb6f980b2195cb51b54f05709c086222934ea165981672026332c87c559ed',1.51542999446974135935e-04,13,'');
INSERT INTO "hippo_checkpoint" VALUES(11,'dd9c6d2fb4d241c38e57acb20e20d00d/p11/e1-l1-n1-s3',1,3,149,'8144b5b32f65bc9b0ec79d6bad4fe86949f5fbc78f69ef926f3746e3eba67c26','148b058bc0165a883d64c3ca04a86d2f4dd4c2f919f514aea59b55a20d58fe73',1.46442998811835423111e-04,14,'');
INSERT INTO "hippo_checkpoint" VALUES(11,'dd9c6d2fb4d241c38e57acb20e20d00d/p11/e1-l2-n2-s3',2,3,149,'053f4c4a96dcbd8520ced90cdb96b74854a2b69650c020fffdc76b94d3ed4b90','822c570fc6c7d3af2b51e7e8fe42e1f391560909a1e5009c157aac57bee39f04',1.23429999803192913532e-04,14,'');
INSERT INTO "hippo_checkpoint" VALUES(11,'dd9c6d2fb4d241c38e57acb20e20d00d/p11/e1-l3-n3-s3',3,3,149,'724a8ec83ecc9a5fd4e1e8f1cfcbe4e1540aae27b14c6f0fbcb18cf47055b152','9ad48dec4d8870e0e7d129769c605c17fec579b75df85313be40703f32b43c21',1.37646999064600095152e-04,14,'');
INSERT INTO "hippo_checkpoint" VALUES(12,'dd9c6d2fb4d241c38e57acb20e20d00d/p12/e1-l4-n1-s3',1,3,149,'c5e06a77b74f549f18f708d149ceb21d92391ae061ec6f230dd34147aace8e0a','9017406bdb34e44760000b45db36a86cd7641e058313270ff9985f59bb49e41f',1.35432001115987077355e-04,15,'');
INSERT INTO "hippo_checkpoint" VALUES(12,'dd9c6d2fb4d241c38e57acb20e20d00d/p12/e1-l5-n2-s3',2,3,149,'506d2581be65469a096c8ffdc4f2c66cb34920870eeaad7b4bc8d840e624c39a','08b8ec5ba7c1cc826f182dc585a3e6d01f1a557a79719fa252f2c3f589703f4e',1.07310001112637110054e-04,15,'');
INSERT INTO "hippo_checkpoint" VALUES(12,'dd9c6d2fb4d241c38e57acb20e20d00d/p12/e1-l6-n3-s3',3,3,149,'94652333af69d1ae34065f553e78e61d1806fde5170f7785d72c0ac1e28d0e86','15c561d89a19a00232fcd4cd92c8b5b8fe356e6ba39da09b7e92000434897c3e',0.000118792000648682,15,'');
CREATE TABLE hippo_database (
	uuid VARCHAR(32) NOT NULL, 
	schema_version BIGINT NOT NULL, 
	PRIMARY KEY (uuid)
);
INSERT INTO "hippo_database" VALUES('dd9c6d2fb4d241c38e57acb20e20d00d',4);
CREATE TABLE hippo_failure (
	"plan" BIGINT NOT NULL, 
	number BIGINT NOT NULL, 
	node BIGINT NOT NULL, 
	step BIGINT NOT NULL, 
	method TEXT NOT NULL, 
	error TEXT NOT NULL, 
	traceback TEXT NOT NULL, 
	voided BOOLEAN NOT NULL, 
	PRIMARY KEY ("plan", number)
);
INSERT INTO "hippo_failure" VALUES(8,1,3,2,'train','ValueError: told to raise in train after 1 steps','Traceback (most recent call last):
  File "/tmp/s4/src/hippo/training/walker.py", line 42, in user_code
    yield
  File "/tmp/s4/src/hippo/training/walker.py", line 133, in train
    returned = self._trainer.train()
               ^^^^^^^^^^^^^^^^^^^^^
  File "/tmp/s4/src/hippo/testing/trainers.py", line 75, in train
    self._maybe_raise("train")
  File "/tmp/s4/src/hippo/testing/trainers.py", line 113, in _maybe_raise
    raise ValueError(f"told to raise in {method} after {self.steps} steps")
ValueError: told to raise in train after 1 steps
',0);
INSERT INTO "hippo_failure" VALUES(9,1,3,2,'train','ValueError: told to raise in train after 1 steps','Traceback (most recent call last):
  File "/tmp/s4/src/hippo/training/walker.py", line 42, in user_code
    yield
  File "/tmp/s4/src/hippo/training/walker.py", line 133, in train
    returned = self._trainer.train()
               ^^^^^^^^^^^^^^^^^^^^^
  File "/tmp/s4/src/hippo/testing/trainers.py", line 75, in train
    self._maybe_raise("train")
  File "/tmp/s4/src/hippo/testing/trainers.py", line 113, in _maybe_raise
    raise ValueError(f"told to raise in {method} after {self.steps} steps")
ValueError: told to raise in train after 1 steps
',0);
CREATE TABLE hippo_lease (
	"plan" BIGINT NOT NULL, 
	lease BIGINT NOT NULL, 
	epoch BIGINT NOT NULL, 
	slot TEXT NOT NULL, 
	spans TEXT NOT NULL, 
	started_at FLOAT NOT NULL, 
	ended TEXT NOT NULL, 
	PRIMARY KEY ("plan", lease)
);
INSERT INTO "hippo_lease" VALUES(1,1,1,'inline-1','[[1, 0, 2]]',1.79535703175248765942e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,2,1,'inline-1','[[2, 0, 2]]',1.79535703185070562356e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,3,1,'inline-1','[[3, 0, 2]]',1.79535703185283851621e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,4,1,'inline-1','[[1, 0, 2]]',1.79535703217240262029e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,5,1,'inline-1','[[2, 0, 2]]',1.79535703228179073336e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,6,1,'inline-1','[[3, 0, 2]]',1.79535703228897500043e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,4,5,'inline-1','[[4, 0, 2]]',1.79535703301727437965e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,5,5,'inline-1','[[5, 2, 4]]',1.79535703310409760474e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,6,5,'inline-1','[[5, 4, 8]]',1.79535703311652612692e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,7,6,'inline-1','[[6, 0, 3]]',1.79535703315475583079e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,8,7,'inline-1','[[1, 2, 4]]',1.79535703318513083451e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,9,7,'inline-1','[[1, 0, 4]]',1.79535703319251322739e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,10,7,'inline-1','[[2, 2, 4]]',1.79535703320036721234e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,11,7,'inline-1','[[2, 0, 4]]',1.79535703320458889004e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,12,7,'inline-1','[[3, 2, 4]]',1.79535703320807290073e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,13,7,'inline-1','[[3, 0, 4]]',1.795357033212143898e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,14,2,'inline-1','[[4, 0, 2]]',1.79535703354663014408e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,15,8,'inline-1','[[7, 0, 2]]',1.79535703363934612273e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,16,2,'inline-1','[[4, 2, 4]]',1.79535703371926522254e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,17,8,'inline-1','[[7, 2, 4]]',1.79535703372646069523e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,18,2,'inline-1','[[5, 0, 2]]',1.79535703373455929757e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,19,8,'inline-1','[[8, 0, 2]]',1.79535703374778485294e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,20,2,'inline-1','[[6, 0, 2]]',1.79535703375045108793e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,21,8,'inline-1','[[9, 0, 2]]',1.79535703375783658032e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,22,2,'inline-1','[[7, 0, 2]]',1.79535703376882362363e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,23,8,'inline-1','[[10, 0, 2]]',1.79535703377212882045e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,24,2,'inline-1','[[7, 2, 4]]',1.79535703378125596047e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,25,8,'inline-1','[[10, 2, 4]]',1.79535703378471803671e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,26,2,'inline-1','[[8, 0, 2]]',1.79535703378662014006e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,27,8,'inline-1','[[11, 0, 2]]',1.79535703379387092584e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,28,2,'inline-1','[[3, 2, 4]]',1.79535703382221174242e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,29,2,'inline-1','[[3, 0, 4]]',1.79535703382825684542e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,30,3,'inline-1','[[9, 0, 2]]',1.79535703388939881322e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,31,3,'inline-1','[[10, 2, 4]]',1.79535703389730906488e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,32,3,'inline-1','[[10, 4, 8]]',1.79535703391633892061e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,33,4,'inline-1','[[11, 0, 3]]',1.79535703395625400539e+09,'done');
INSERT INTO "hippo_lease" VALUES(3,1,1,'inline-1','[[1, 0, 2], [2, 2, 6]]',1.79535703429209661484e+09,'done');
INSERT INTO "hippo_lease" VALUES(4,2,1,'inline-1','[[1, 0, 2], [2, 2, 6]]',1.79535703442072415349e+09,'done');
INSERT INTO "hippo_lease" VALUES(5,3,1,'inline-1','[[1, 0, 2], [2, 2, 6]]',1.79535703451671695704e+09,'done');
INSERT INTO "hippo_lease" VALUES(3,4,1,'inline-1','[[1, 2, 3], [3, 3, 6]]',1.79535703463682651519e+09,'done');
INSERT INTO "hippo_lease" VALUES(4,5,1,'inline-1','[[1, 2, 3], [3, 3, 6]]',1.79535703464838743213e+09,'done');
INSERT INTO "hippo_lease" VALUES(5,6,1,'inline-1','[[1, 2, 3], [3, 3, 6]]',1.7953570346523449421e+09,'done');
INSERT INTO "hippo_lease" VALUES(3,7,1,'inline-1','[[1, 2, 4], [4, 4, 6]]',1.79535703466392040257e+09,'done');
INSERT INTO "hippo_lease" VALUES(4,8,1,'inline-1','[[1, 2, 4], [4, 4, 6]]',1.79535703467086815831e+09,'done');
INSERT INTO "hippo_lease" VALUES(5,9,1,'inline-1','[[1, 2, 4], [4, 4, 6]]',1.79535703467928123471e+09,'done');
INSERT INTO "hippo_lease" VALUES(4,10,1,'inline-1','[[1, 2, 5], [5, 5, 6]]',1.79535703468438982959e+09,'done');
INSERT INTO "hippo_lease" VALUES(5,11,1,'inline-1','[[1, 2, 5], [5, 5, 6]]',1.79535703469214439394e+09,'done');
INSERT INTO "hippo_lease" VALUES(3,12,1,'inline-1','[[1, 4, 5], [5, 5, 6]]',1.79535703470026922223e+09,'done');
INSERT INTO "hippo_lease" VALUES(3,13,2,'inline-1','[[6, 0, 4]]',1.7953570347668383121e+09,'done');
INSERT INTO "hippo_lease" VALUES(3,14,2,'inline-1','[[7, 0, 4]]',1.79535703477820038796e+09,'done');
INSERT INTO "hippo_lease" VALUES(3,15,2,'inline-1','[[8, 0, 4]]',1.79535703478836274147e+09,'done');
INSERT INTO "hippo_lease" VALUES(4,16,2,'inline-1','[[6, 0, 4]]',1.79535703479011631011e+09,'done');
INSERT INTO "hippo_lease" VALUES(4,17,2,'inline-1','[[7, 0, 4]]',1.79535703479635691645e+09,'done');
INSERT INTO "hippo_lease" VALUES(4,18,2,'inline-1','[[8, 0, 4]]',1.79535703480096673961e+09,'done');
INSERT INTO "hippo_lease" VALUES(5,19,2,'inline-1','[[6, 0, 4]]',1.79535703480840373039e+09,'done');
INSERT INTO "hippo_lease" VALUES(5,20,2,'inline-1','[[7, 0, 4]]',1.79535703481372666359e+09,'done');
INSERT INTO "hippo_lease" VALUES(5,21,2,'inline-1','[[8, 0, 4]]',1.7953570348230440617e+09,'done');
INSERT INTO "hippo_lease" VALUES(6,1,1,'inline-1','[[1, 0, 2], [2, 2, 6]]',1.79535703511280441283e+09,'done');
INSERT INTO "hippo_lease" VALUES(7,2,1,'inline-1','[[1, 0, 2], [2, 2, 6]]',1.79535703520504212379e+09,'done');
INSERT INTO "hippo_lease" VALUES(7,3,1,'inline-1','[[3, 0, 3], [4, 3, 6]]',1.79535703532086777685e+09,'done');
INSERT INTO "hippo_lease" VALUES(6,4,1,'inline-1','[[3, 0, 3], [4, 3, 6]]',1.79535703532870554921e+09,'done');
INSERT INTO "hippo_lease" VALUES(7,5,1,'inline-1','[[5, 0, 4], [6, 4, 6]]',1.79535703534114503862e+09,'done');
INSERT INTO "hippo_lease" VALUES(6,6,1,'inline-1','[[5, 0, 4], [6, 4, 6]]',1.79535703535260486606e+09,'done');
INSERT INTO "hippo_lease" VALUES(7,7,1,'inline-1','[[7, 0, 5], [8, 5, 6]]',1.79535703539812803268e+09,'done');
INSERT INTO "hippo_lease" VALUES(6,8,1,'inline-1','[[7, 0, 5], [8, 5, 6]]',1.79535703540932703014e+09,'done');
INSERT INTO "hippo_lease" VALUES(7,9,2,'inline-1','[[9, 0, 2], [10, 2, 6]]',1.79535703546442484859e+09,'done');
INSERT INTO "hippo_lease" VALUES(6,10,2,'inline-1','[[9, 0, 2], [10, 2, 6]]',1.79535703546834015851e+09,'done');
INSERT INTO "hippo_lease" VALUES(6,11,2,'inline-1','[[11, 0, 4], [12, 4, 6]]',1.79535703547676849366e+09,'done');
INSERT INTO "hippo_lease" VALUES(6,12,2,'inline-1','[[13, 0, 6]]',1.7953570354965729713e+09,'done');
INSERT INTO "hippo_lease" VALUES(7,13,2,'inline-1','[[11, 0, 4], [12, 4, 6]]',1.79535703550443720812e+09,'done');
INSERT INTO "hippo_lease" VALUES(7,14,2,'inline-1','[[13, 0, 6]]',1.79535703551283359522e+09,'done');
INSERT INTO "hippo_lease" VALUES(8,1,1,'inline-1','[[1, 0, 3]]',1.79535703586486482621e+09,'done');
INSERT INTO "hippo_lease" VALUES(9,2,1,'inline-1','[[1, 0, 3]]',1.79535703597517251961e+09,'done');
INSERT INTO "hippo_lease" VALUES(8,3,1,'inline-1','[[2, 0, 3]]',1.79535703640880084036e+09,'done');
INSERT INTO "hippo_lease" VALUES(8,4,1,'inline-1','[[3, 0, 3]]',1.7953570364142889976e+09,'done');
INSERT INTO "hippo_lease" VALUES(9,5,1,'inline-1','[[2, 0, 3]]',1.79535703642587161064e+09,'done');
INSERT INTO "hippo_lease" VALUES(9,6,1,'inline-1','[[3, 0, 3]]',1.79535703643648099901e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,34,6,'inline-1','[[1, 2, 3]]',1.79535703739743685717e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,35,6,'inline-1','[[1, 0, 3]]',1.79535703744824838633e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,36,6,'inline-1','[[2, 2, 3]]',1.79535703745428919797e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,37,6,'inline-1','[[2, 0, 3]]',1.79535703745507454866e+09,'done');
INSERT INTO "hippo_lease" VALUES(10,1,1,'inline-1','[[1, 0, 3]]',1.79535703770502710341e+09,'done');
INSERT INTO "hippo_lease" VALUES(10,2,1,'inline-1','[[2, 0, 3]]',1.79535703780605649946e+09,'done');
INSERT INTO "hippo_lease" VALUES(10,3,1,'inline-1','[[3, 0, 3]]',1.7953570378175928593e+09,'done');
INSERT INTO "hippo_lease" VALUES(11,1,1,'inline-1','[[1, 0, 3]]',1.79535703816071963313e+09,'done');
INSERT INTO "hippo_lease" VALUES(11,2,1,'inline-1','[[2, 0, 3]]',1.79535703825347089769e+09,'done');
INSERT INTO "hippo_lease" VALUES(11,3,1,'inline-1','[[3, 0, 3]]',1.79535703826016378396e+09,'done');
INSERT INTO "hippo_lease" VALUES(12,4,1,'inline-1','[[1, 0, 3]]',1.79535703869295024874e+09,'done');
INSERT INTO "hippo_lease" VALUES(12,5,1,'inline-1','[[2, 0, 3]]',1.79535703878628516202e+09,'done');
INSERT INTO "hippo_lease" VALUES(12,6,1,'inline-1','[[3, 0, 3]]',1.79535703879510045053e+09,'done');
CREATE TABLE hippo_metrics (
	"plan" BIGINT NOT NULL, 
	node BIGINT NOT NULL, 
	step BIGINT NOT NULL, 
	metrics TEXT NOT NULL, 
	seconds FLOAT NOT NULL, 
	study BIGINT NOT NULL, 
	PRIMARY KEY ("plan", node, step)
);
INSERT INTO "hippo_metrics" VALUES(1,1,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',3.10180002998095e-05,1);
INSERT INTO "hippo_metrics" VALUES(1,1,2,'{"loss": 0.7679914958981895, "luck": 0.8990734568859705}',2.63990004896186292171e-05,1);
INSERT INTO "hippo_metrics" VALUES(1,2,1,'{"loss": 2.595278690882496, "luck": 0.7351928141853318}',2.61690001934766769409e-05,1);
INSERT INTO "hippo_metrics" VALUES(1,2,2,'{"loss": 2.081041290048132, "luck": 0.8990734568859705}',2.15910004044417291879e-05,1);
INSERT INTO "hippo_metrics" VALUES(1,3,1,'{"loss": 2.0921210915666495, "luck": 0.7351928141853318}',5.10350000695325434207e-05,1);
INSERT INTO "hippo_metrics" VALUES(1,3,2,'{"loss": 1.3059238627827707, "luck": 0.8990734568859705}',3.50150003214366734027e-05,1);
INSERT INTO "hippo_metrics" VALUES(2,1,1,'{"loss": 0.5882027589421148, "luck": 0.2919745267583853}',4.74680000479565933346e-05,2);
INSERT INTO "hippo_metrics" VALUES(2,1,2,'{"loss": 0.34670272670041236, "luck": 0.39900061541324894}',2.40849985857494175434e-05,2);
INSERT INTO "hippo_metrics" VALUES(2,2,1,'{"loss": 1.001196401849103, "luck": 0.2919745267583853}',2.41349989664740860462e-05,2);
INSERT INTO "hippo_metrics" VALUES(2,2,2,'{"loss": 0.8407915014041911, "luck": 0.39900061541324894}',1.86750003194902092218e-05,2);
INSERT INTO "hippo_metrics" VALUES(2,3,1,'{"loss": 0.780633851573473, "luck": 0.2919745267583853}',2.79519990726839751005e-05,2);
INSERT INTO "hippo_metrics" VALUES(2,3,2,'{"loss": 0.5482365060163169, "luck": 0.39900061541324894}',2.3233998945215716958e-05,2);
INSERT INTO "hippo_metrics" VALUES(1,4,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',5.52230012544896453619e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,4,2,'{"loss": 0.7679914958981896, "luck": 0.8990734568859705}',4.03350004489766433835e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,5,3,'{"loss": 0.7181172581813783, "luck": 0.5606985584456248}',3.08170001517282798886e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,5,4,'{"loss": 0.6857764130519207, "luck": 0.7656478768603969}',1.9285998860141262412e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,5,5,'{"loss": 0.6409016285686151, "luck": 0.9862810444956115}',3.53450013790279626846e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,5,6,'{"loss": 0.6079893596789652, "luck": 0.4317209810926973}',2.89140007225796580314e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,5,7,'{"loss": 0.5730013892842124, "luck": 0.20418096828415755}',2.01479997485876083374e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,5,8,'{"loss": 0.5366799172116318, "luck": 0.9023155911110003}',1.79640010173898190259e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,6,1,'{"loss": 1.8609035862607755, "luck": 0.7351928141853318}',2.56879993685288354754e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,6,2,'{"loss": 1.0107668617036614, "luck": 0.8990734568859705}',2.05590004043187946081e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,6,3,'{"loss": 0.5366396691549596, "luck": 0.5606985584456248}',1.82040002982830628752e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,1,3,'{"loss": 0.34563827023065713, "luck": 0.5606985584456248}',2.30929999815998598933e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,1,4,'{"loss": 0.2232132936782808, "luck": 0.7656478768603969}',2.18910008698003366589e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,2,3,'{"loss": 1.663187771431688, "luck": 0.5606985584456248}',1.6951000361586920917e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,2,4,'{"loss": 1.3950226972208526, "luck": 0.7656478768603969}',1.6951000361586920917e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,3,3,'{"loss": 0.8045146250303803, "luck": 0.5606985584456248}',2.31239991990150883793e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,3,4,'{"loss": 0.5750387859247998, "luck": 0.7656478768603969}',1.73420012288261204957e-05,5);
INSERT INTO "hippo_metrics" VALUES(2,4,1,'{"loss": 0.04801916044940552, "luck": 0.2919745267583853}',5.25889990967698395252e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,4,2,'{"loss": 0.047361923738329564, "luck": 0.39900061541324894}',2.80519998341333121061e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,7,1,'{"loss": 0.21340797938632122, "luck": 0.7351928141853318}',3.0687000617035664618e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,7,2,'{"loss": 0.013573150172535815, "luck": 0.8990734568859705}',1.82940002559917047619e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,4,3,'{"loss": 0.034040960109071594, "luck": 0.4167216444296241}',2.06679997063474729657e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,4,4,'{"loss": 0.014770962677400395, "luck": 0.09989884338800914}',1.81140003405744209885e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,7,3,'{"loss": 0.012333469083678848, "luck": 0.5606985584456248}',4.33509994763881e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,7,4,'{"loss": 0.029729467150952604, "luck": 0.7656478768603969}',3.58659999619703739881e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,5,1,'{"loss": 0.09979296485940324, "luck": 0.2919745267583853}',3.76000007236143574118e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,5,2,'{"loss": 0.05847795416301017, "luck": 0.39900061541324894}',2.00279991986462846398e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,8,1,'{"loss": 0.39078486906938203, "luck": 0.7351928141853318}',3.10179984808201e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,8,2,'{"loss": 0.028373180053272055, "luck": 0.8990734568859705}',2.29329998546745628118e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,6,1,'{"loss": 0.17969822691367301, "luck": 0.2919745267583853}',4.78689998999470844864e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,6,2,'{"loss": 0.08363833989449458, "luck": 0.39900061541324894}',3.90929999412037432193e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,9,1,'{"loss": 0.6224585436912402, "luck": 0.7351928141853318}',4.65769990114495158195e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,9,2,'{"loss": 0.08114599599028936, "luck": 0.8990734568859705}',4.15169997722841799259e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,7,1,'{"loss": 0.28773494661221505, "luck": 0.2919745267583853}',2.59280004684114828705e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,7,2,'{"loss": 0.13148690325119072, "luck": 0.39900061541324894}',1.88150006579235196113e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,10,1,'{"loss": 0.9084290032518965, "luck": 0.7351928141853318}',2.1851001292816363275e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,10,2,'{"loss": 0.19870282446317625, "luck": 0.8990734568859705}',1.80740007635904476046e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,7,3,'{"loss": 0.07132726937035358, "luck": 0.4167216444296241}',3.01159998343791812658e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,7,4,'{"loss": 0.025298053810090083, "luck": 0.09989884338800914}',2.32839993259403854608e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,10,3,'{"loss": 0.03486108159497854, "luck": 0.5606985584456248}',2.22520011448068544268e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,10,4,'{"loss": 0.03758099366231165, "luck": 0.7656478768603969}',1.86150009540142491459e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,8,1,'{"loss": 0.42390312395502894, "luck": 0.2919745267583853}',2.38950015045702457427e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,8,2,'{"loss": 0.21404324146881892, "luck": 0.39900061541324894}',1.91149993042927235364e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,11,1,'{"loss": 1.24869624775135, "luck": 0.7351928141853318}',2.41150009969715029001e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,11,2,'{"loss": 0.4143705061441762, "luck": 0.8990734568859705}',1.78230002347845584154e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,3,3,'{"loss": 0.39096937177195373, "luck": 0.4167216444296241}',1.7001999367494136095e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,3,4,'{"loss": 0.2576308188545118, "luck": 0.09989884338800914}',1.77530000655679032206e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,9,1,'{"loss": 0.5882027589421152, "luck": 0.2919745267583853}',3.23900003422750160098e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,9,2,'{"loss": 0.34670272670041247, "luck": 0.39900061541324894}',2.52370009548030793666e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,10,3,'{"loss": 0.3318879784610863, "luck": 0.4167216444296241}',2.83329991361824795603e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,10,4,'{"loss": 0.3131866681610792, "luck": 0.09989884338800914}',2.7140999009134247899e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,10,5,'{"loss": 0.2881633520944912, "luck": 0.3176475465581071}',4.08360010624164715409e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,10,6,'{"loss": 0.273178385410801, "luck": 0.6622026177734481}',2.86230006167897954583e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,10,7,'{"loss": 0.2617358425805778, "luck": 0.8413715553295904}',2.78019997494993731379e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,10,8,'{"loss": 0.2499827100106507, "luck": 0.9038439222916061}',2.39439996221335604786e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,11,1,'{"loss": 0.6809018730522601, "luck": 0.2919745267583853}',3.19899991154670715332e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,11,2,'{"loss": 0.43755526669822176, "luck": 0.39900061541324894}',2.38440006796736270189e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,11,3,'{"loss": 0.28893552122224675, "luck": 0.4167216444296241}',2.31129997700918465852e-05,6);
INSERT INTO "hippo_metrics" VALUES(3,1,1,'{"loss": 1.023281603178972, "luck": 0.9867643697774076}',3.430299875617492944e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,1,2,'{"loss": 0.4602207998765308, "luck": 0.5376377842125818}',4.6406999899772927165e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,2,3,'{"loss": 0.33177223889750096, "luck": 0.7108321066755476}',3.88219996239058673381e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,2,4,'{"loss": 0.25460404885659077, "luck": 0.4787101630369117}',2.24310006160521879792e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,2,5,'{"loss": 0.18677338222932205, "luck": 0.9374898015314165}',1.77629990503191947937e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,2,6,'{"loss": 0.1336900557880476, "luck": 0.6526788969390104}',1.69119994097854942083e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,1,1,'{"loss": 1.970967072357297, "luck": 0.3724018416480026}',2.67499999608844518661e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,1,2,'{"loss": 0.9534386778039253, "luck": 0.663277436170201}',4.16780003433814272284e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,2,3,'{"loss": 0.6964286091016071, "luck": 0.0460468867524525}',2.13990006159292533993e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,2,4,'{"loss": 0.5001916637489414, "luck": 0.7934255168815922}',2.24910018005175516009e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,2,5,'{"loss": 0.37371300278589503, "luck": 0.699707046997647}',1.81840005097910761833e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,2,6,'{"loss": 0.2661893595714792, "luck": 0.9751249376099272}',2.53969992627389729022e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,1,1,'{"loss": 0.9240582253964627, "luck": 0.04126642983852735}',2.71910012088483199477e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,1,2,'{"loss": 0.4523393602113332, "luck": 0.27567533336338146}',2.50069988396717235445e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,2,3,'{"loss": 0.33625159218410816, "luck": 0.9730137035323765}',2.37849999393802136182e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,2,4,'{"loss": 0.25798940470739584, "luck": 0.4796653075815468}',2.23909992200788110494e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,2,5,'{"loss": 0.2039368760905871, "luck": 0.7275552730002094}',1.84350010385969653725e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,2,6,'{"loss": 0.1638119756654711, "luck": 0.07836672761871077}',1.74920005520107224583e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,1,3,'{"loss": 0.22549578895205535, "luck": 0.7108321066755476}',2.32929996855091303586e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,3,4,'{"loss": 0.17451814684159075, "luck": 0.4787101630369117}',1.86550005309982225298e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,3,5,'{"loss": 0.12886224980897057, "luck": 0.9374898015314165}',1.75929999386426061391e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,3,6,'{"loss": 0.0938679365487936, "luck": 0.6526788969390104}',1.87450004887068644165e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,1,3,'{"loss": 0.481072495635177, "luck": 0.0460468867524525}',2.39750006585381925106e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,3,4,'{"loss": 0.34575426828276773, "luck": 0.7934255168815922}',1.91559993254486471414e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,3,5,'{"loss": 0.2599915364889922, "luck": 0.699707046997647}',1.77929996425518766045e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,3,6,'{"loss": 0.18429860717850993, "luck": 0.9751249376099272}',1.74529996002092957496e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,1,3,'{"loss": 0.2373882363174858, "luck": 0.9730137035323765}',2.16509997699176892638e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,3,4,'{"loss": 0.18417803445836445, "luck": 0.4796653075815468}',1.87850000656908378005e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,3,5,'{"loss": 0.14815408764376153, "luck": 0.7275552730002094}',1.75429995579179376363e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,3,6,'{"loss": 0.12109411842729488, "luck": 0.07836672761871077}',1.66709996847203e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,1,4,'{"loss": 0.13075750219245938, "luck": 0.4787101630369117}',2.46569998125778511166e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,4,5,'{"loss": 0.0964833399317409, "luck": 0.9374898015314165}',2.16410007851663976907e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,4,6,'{"loss": 0.0700027185796051, "luck": 0.6526788969390104}',1.84349992196075618267e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,1,4,'{"loss": 0.2335847524896895, "luck": 0.7934255168815922}',1.92160005099140107631e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,4,5,'{"loss": 0.1765815256475426, "luck": 0.699707046997647}',1.83339998329756781458e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,4,6,'{"loss": 0.1249710608512457, "luck": 0.9751249376099272}',1.74430006154580041766e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,1,4,'{"loss": 0.13876419064237355, "luck": 0.4796653075815468}',1.9905999579350464046e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,4,5,'{"loss": 0.11385252840454314, "luck": 0.7275552730002094}',1.86640008905669674277e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,4,6,'{"loss": 0.09458269422305716, "luck": 0.07836672761871077}',1.81849991349736228585e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,1,5,'{"loss": 0.12855514028458553, "luck": 0.699707046997647}',1.86750003194902092218e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,5,6,'{"loss": 0.08986434983354824, "luck": 0.9751249376099272}',1.90359987755073234438e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,1,5,'{"loss": 0.0923220865508822, "luck": 0.7275552730002094}',1.75019995367620140314e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,5,6,'{"loss": 0.07760726211376752, "luck": 0.07836672761871077}',1.96569999388884752988e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,1,5,'{"loss": 0.06776995002509556, "luck": 0.9374898015314165}',4.30410000262782e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,5,6,'{"loss": 0.05089881767741228, "luck": 0.6526788969390104}',2.02680002985289320349e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,6,1,'{"loss": 1.023281603178972, "luck": 0.9867643697774076}',2.71300013992004096508e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,6,2,'{"loss": 0.4602207998765306, "luck": 0.5376377842125818}',1.87349996849661692976e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,6,3,'{"loss": 0.22549578895205522, "luck": 0.7108321066755476}',1.78430000232765451073e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,6,4,'{"loss": 0.1307575021924593, "luck": 0.4787101630369117}',1.72830004885327070951e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,7,1,'{"loss": 1.7747010785817487, "luck": 0.9867643697774076}',2.39050004893215373158e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,7,2,'{"loss": 1.412044654388934, "luck": 0.5376377842125818}',2.86940012301784e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,7,3,'{"loss": 1.1398894539766977, "luck": 0.7108321066755476}',1.88550002349074929952e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,7,4,'{"loss": 0.9445047981903137, "luck": 0.4787101630369117}',1.75530003616586327552e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,8,1,'{"loss": 1.3730141019042925, "luck": 0.9867643697774076}',2.45859991991892457008e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,8,2,'{"loss": 0.8402962959741641, "luck": 0.5376377842125818}',1.80540009750984609127e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,8,3,'{"loss": 0.5344486289687017, "luck": 0.7108321066755476}',1.76229987118858844041e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,8,4,'{"loss": 0.36705273833910573, "luck": 0.4787101630369117}',1.76929988811025395989e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,6,1,'{"loss": 1.970967072357297, "luck": 0.3724018416480026}',2.22910002776188775897e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,6,2,'{"loss": 0.9534386778039252, "luck": 0.663277436170201}',1.82940002559917047619e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,6,3,'{"loss": 0.48107249563517696, "luck": 0.0460468867524525}',1.75929999386426061391e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,6,4,'{"loss": 0.2335847524896894, "luck": 0.7934255168815922}',1.697200059425085783e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,7,1,'{"loss": 3.2544760285498917, "luck": 0.3724018416480026}',2.48670003202278167009e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,7,2,'{"loss": 2.6287578931759326, "luck": 0.663277436170201}',1.89649999811081215739e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,7,3,'{"loss": 2.1391921291570637, "luck": 0.0460468867524525}',1.75029999809339642524e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,7,4,'{"loss": 1.7288641460709981, "luck": 0.7934255168815922}',1.87549994734581559896e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,8,1,'{"loss": 2.572582343877809, "luck": 0.3724018416480026}',2.55070008279290050268e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,8,2,'{"loss": 1.6351811603813753, "luck": 0.663277436170201}',1.8905000615632161498e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,8,3,'{"loss": 1.0602553693461516, "luck": 0.0460468867524525}',1.77330002770759165287e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,8,4,'{"loss": 0.674444448271187, "luck": 0.7934255168815922}',1.83140000444836914539e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,6,1,'{"loss": 0.9240582253964627, "luck": 0.04126642983852735}',2.82630007859552279114e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,6,2,'{"loss": 0.4523393602113331, "luck": 0.27567533336338146}',1.99370006157550960779e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,6,3,'{"loss": 0.23738823631748568, "luck": 0.9730137035323765}',1.84040000021923333406e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,6,4,'{"loss": 0.13876419064237347, "luck": 0.4796653075815468}',1.71020001289434731006e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,7,1,'{"loss": 1.4351092912102374, "luck": 0.04126642983852735}',3.36530010827118530869e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,7,2,'{"loss": 1.1624924511065793, "luck": 0.27567533336338146}',2.30229998123832046985e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,7,3,'{"loss": 0.952202448537066, "luck": 0.9730137035323765}',1.83739994099596515297e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,7,4,'{"loss": 0.7883275483467338, "luck": 0.4796653075815468}',1.78339996637078e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,8,1,'{"loss": 1.165169131106709, "luck": 0.04126642983852735}',2.62789999396773055195e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,8,2,'{"loss": 0.7455123476213816, "luck": 0.27567533336338146}',1.84640011866576969623e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,8,3,'{"loss": 0.4923226384257423, "luck": 0.9730137035323765}',1.7323000065516680479e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,8,4,'{"loss": 0.33774432189800113, "luck": 0.4796653075815468}',1.70919993252027779817e-05,7);
INSERT INTO "hippo_metrics" VALUES(6,1,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',2.59389998973347246646e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,1,2,'{"loss": 0.7679914958981896, "luck": 0.8990734568859705}',2.22910002776188775897e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,2,3,'{"loss": 0.535595674314262, "luck": 0.5606985584456248}',2.31429985433351248502e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,2,4,'{"loss": 0.4258531585217873, "luck": 0.7656478768603969}',2.03580002562375739216e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,2,5,'{"loss": 0.2928514680411841, "luck": 0.9862810444956115}',1.77729998540598899126e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,2,6,'{"loss": 0.22666719927778464, "luck": 0.4317209810926973}',1.72220006788847967982e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,1,1,'{"loss": 0.5882027589421152, "luck": 0.2919745267583853}',4.83999992866301909089e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,1,2,'{"loss": 0.34670272670041247, "luck": 0.39900061541324894}',2.30940004257718101143e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,2,3,'{"loss": 0.27598012407333633, "luck": 0.4167216444296241}',2.44460006797453388571e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,2,4,'{"loss": 0.20352388412440353, "luck": 0.09989884338800914}',4.3401001676102168858e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,2,5,'{"loss": 0.12565753468482305, "luck": 0.3176475465581071}',3.17089998134179040789e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,2,6,'{"loss": 0.09649009456726415, "luck": 0.6622026177734481}',3.01860000035958364605e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,3,1,'{"loss": 0.5882027589421152, "luck": 0.2919745267583853}',2.57169995165895670652e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,3,2,'{"loss": 0.34670272670041247, "luck": 0.39900061541324894}',1.93359992408659309148e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,3,3,'{"loss": 0.21363536787014636, "luck": 0.4167216444296241}',1.71920000866521149873e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,4,4,'{"loss": 0.1582208837218928, "luck": 0.09989884338800914}',1.95769989659311249852e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,4,5,'{"loss": 0.09608929028021532, "luck": 0.3176475465581071}',1.82240000867750495672e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,4,6,'{"loss": 0.07425652405159612, "luck": 0.6622026177734481}',1.71020001289434731006e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,3,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',4.70270006189821287989e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,3,2,'{"loss": 0.7679914958981896, "luck": 0.8990734568859705}',2.03879990294808521866e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,3,3,'{"loss": 0.3456382702306573, "luck": 0.5606985584456248}',1.87750010809395462274e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,4,4,'{"loss": 0.2805570345611536, "luck": 0.7656478768603969}',2.0207000488881021738e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,4,5,'{"loss": 0.19072433249165222, "luck": 0.9862810444956115}',1.87860005098627880215e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,4,6,'{"loss": 0.14994423105194774, "luck": 0.4317209810926973}',1.70709990925388410687e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,5,1,'{"loss": 0.5882027589421152, "luck": 0.2919745267583853}',3.05970006593270227313e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,5,2,'{"loss": 0.34670272670041247, "luck": 0.39900061541324894}',1.91460003406973555684e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,5,3,'{"loss": 0.21363536787014636, "luck": 0.4167216444296241}',1.78030004462925717234e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,5,4,'{"loss": 0.112007051654928, "luck": 0.09989884338800914}',1.75730001501506194472e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,6,5,'{"loss": 0.06592576920431341, "luck": 0.3176475465581071}',1.96559994947165250778e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,6,6,'{"loss": 0.05161889400892079, "luck": 0.6622026177734481}',1.74929991771932691335e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,5,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',2.55069990089396e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,5,2,'{"loss": 0.7679914958981896, "luck": 0.8990734568859705}',1.90049995580920949578e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,5,3,'{"loss": 0.3456382702306573, "luck": 0.5606985584456248}',5.30899997102096676826e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,5,4,'{"loss": 0.2232132936782809, "luck": 0.7656478768603969}',1.91859999176813289523e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,6,5,'{"loss": 0.15046631379886832, "luck": 0.9862810444956115}',2.82219989458099e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,6,6,'{"loss": 0.11964755655114248, "luck": 0.4317209810926973}',2.53670004894956946372e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,7,1,'{"loss": 0.5882027589421152, "luck": 0.2919745267583853}',2.86240010609617456793e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,7,2,'{"loss": 0.34670272670041247, "luck": 0.39900061541324894}',5.46529990970157086849e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,7,3,'{"loss": 0.21363536787014636, "luck": 0.4167216444296241}',1.84750006155809387564e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,7,4,'{"loss": 0.112007051654928, "luck": 0.09989884338800914}',1.66709996847203e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,7,5,'{"loss": 0.03370790002564021, "luck": 0.3176475465581071}',1.63999993674224242568e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,8,6,'{"loss": 0.026666844902599608, "luck": 0.6622026177734481}',2.00879985641222447156e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,7,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',3.56960008502937853336e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,7,2,'{"loss": 0.7679914958981896, "luck": 0.8990734568859705}',2.44959992414806038141e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,7,3,'{"loss": 0.3456382702306573, "luck": 0.5606985584456248}',1.75719997059786692261e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,7,4,'{"loss": 0.2232132936782809, "luck": 0.7656478768603969}',1.68719998328015208244e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,7,5,'{"loss": 0.09234756894755321, "luck": 0.9862810444956115}',1.64009998115943744778e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,8,6,'{"loss": 0.07550860568715494, "luck": 0.4317209810926973}',1.88150006579235196113e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,9,1,'{"loss": 0.5882027589421152, "luck": 0.2919745267583853}',2.45960000029299408197e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,9,2,'{"loss": 0.34670272670041247, "luck": 0.39900061541324894}',1.90249993465840816497e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,10,3,'{"loss": 0.3318879784610863, "luck": 0.4167216444296241}',1.85349999810569e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,10,4,'{"loss": 0.3131866681610792, "luck": 0.09989884338800914}',1.73730004462413489818e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,10,5,'{"loss": 0.2881633520944912, "luck": 0.3176475465581071}',1.72319996636360883712e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,10,6,'{"loss": 0.273178385410801, "luck": 0.6622026177734481}',1.73820008058100938796e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,9,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',4.77789999422384425997e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,9,2,'{"loss": 0.7679914958981896, "luck": 0.8990734568859705}',3.04770001093857e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,10,3,'{"loss": 0.7181172581813783, "luck": 0.5606985584456248}',3.67379998351680114865e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,10,4,'{"loss": 0.6857764130519207, "luck": 0.7656478768603969}',1.87349996849661692976e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,10,5,'{"loss": 0.6409016285686151, "luck": 0.9862810444956115}',1.9597000573412515223e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,10,6,'{"loss": 0.6079893596789652, "luck": 0.4317209810926973}',1.70219991559861227869e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,11,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',1.01588999314117245376e-04,8);
INSERT INTO "hippo_metrics" VALUES(6,11,2,'{"loss": 0.7679914958981896, "luck": 0.8990734568859705}',3.61980000889161601662e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,11,3,'{"loss": 0.3456382702306573, "luck": 0.5606985584456248}',1.85539993253769353032e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,11,4,'{"loss": 0.2232132936782809, "luck": 0.7656478768603969}',2.52370009548030793666e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,12,5,'{"loss": 0.20749363890015063, "luck": 0.9862810444956115}',1.84349992196075618267e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,12,6,'{"loss": 0.19805754120332325, "luck": 0.4317209810926973}',2.58180007222108542919e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,13,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',2.9626000468852e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,13,2,'{"loss": 0.7679914958981896, "luck": 0.8990734568859705}',1.90249993465840816497e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,13,3,'{"loss": 0.3456382702306573, "luck": 0.5606985584456248}',1.75220011442434042692e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,13,4,'{"loss": 0.2232132936782809, "luck": 0.7656478768603969}',1.78840000444324687123e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,13,5,'{"loss": 0.09234756894755321, "luck": 0.9862810444956115}',1.77640013134805485606e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,13,6,'{"loss": 0.06049071795497772, "luck": 0.4317209810926973}',1.68610004038782790303e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,11,1,'{"loss": 0.5882027589421152, "luck": 0.2919745267583853}',2.43350004893727600574e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,11,2,'{"loss": 0.34670272670041247, "luck": 0.39900061541324894}',1.93460000446066260337e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,11,3,'{"loss": 0.21363536787014636, "luck": 0.4167216444296241}',1.79429989657364785671e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,11,4,'{"loss": 0.112007051654928, "luck": 0.09989884338800914}',1.71009996847715228796e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,12,5,'{"loss": 0.10168172210304977, "luck": 0.3176475465581071}',1.7954000213649123907e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,12,6,'{"loss": 0.09685617336715144, "luck": 0.6622026177734481}',1.69710001500789076089e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,13,1,'{"loss": 0.5882027589421152, "luck": 0.2919745267583853}',2.63390011241426691412e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,13,2,'{"loss": 0.34670272670041247, "luck": 0.39900061541324894}',1.95259999600239098072e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,13,3,'{"loss": 0.21363536787014636, "luck": 0.4167216444296241}',1.79430007847258821129e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,13,4,'{"loss": 0.112007051654928, "luck": 0.09989884338800914}',3.71589994756504893302e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,13,5,'{"loss": 0.03370790002564021, "luck": 0.3176475465581071}',2.88840001303469762206e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,13,6,'{"loss": 0.020726611989759634, "luck": 0.6622026177734481}',2.84829984593670815229e-05,8);
INSERT INTO "hippo_metrics" VALUES(8,1,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',3.66889998986152932047e-05,9);
INSERT INTO "hippo_metrics" VALUES(8,1,2,'{"loss": 0.7679914958981895, "luck": 0.8990734568859705}',3.08880007651168853044e-05,9);
INSERT INTO "hippo_metrics" VALUES(8,1,3,'{"loss": 0.34563827023065713, "luck": 0.5606985584456248}',2.20910005737096071243e-05,9);
INSERT INTO "hippo_metrics" VALUES(9,1,1,'{"loss": 0.5882027589421148, "luck": 0.2919745267583853}',2.37839994952082633972e-05,9);
INSERT INTO "hippo_metrics" VALUES(9,1,2,'{"loss": 0.34670272670041236, "luck": 0.39900061541324894}',5.32300000486429780721e-05,9);
INSERT INTO "hippo_metrics" VALUES(9,1,3,'{"loss": 0.21363536787014628, "luck": 0.4167216444296241}',1.7983998986892402172e-05,9);
INSERT INTO "hippo_metrics" VALUES(8,2,1,'{"loss": 2.595278690882496, "luck": 0.7351928141853318}',4.08460000471677631139e-05,9);
INSERT INTO "hippo_metrics" VALUES(8,2,2,'{"loss": 2.081041290048132, "luck": 0.8990734568859705}',2.28019998758099973201e-05,9);
INSERT INTO "hippo_metrics" VALUES(8,2,3,'{"loss": 1.663187771431688, "luck": 0.5606985584456248}',3.30919992848066613078e-05,9);
INSERT INTO "hippo_metrics" VALUES(8,3,1,'{"loss": 2.0921210915666495, "luck": 0.7351928141853318}',2.55769991781562566757e-05,9);
INSERT INTO "hippo_metrics" VALUES(9,2,1,'{"loss": 1.001196401849103, "luck": 0.2919745267583853}',6.66640007693786174058e-05,9);
INSERT INTO "hippo_metrics" VALUES(9,2,2,'{"loss": 0.8407915014041911, "luck": 0.39900061541324894}',2.74909998552175238728e-05,9);
INSERT INTO "hippo_metrics" VALUES(9,2,3,'{"loss": 0.7082062890879998, "luck": 0.4167216444296241}',1.96770015463698655366e-05,9);
INSERT INTO "hippo_metrics" VALUES(9,3,1,'{"loss": 0.780633851573473, "luck": 0.2919745267583853}',3.79400007659569382667e-05,9);
INSERT INTO "hippo_metrics" VALUES(2,1,3,'{"loss": 0.21363536787014628, "luck": 0.4167216444296241}',4.61060008092317730188e-05,12);
INSERT INTO "hippo_metrics" VALUES(2,2,3,'{"loss": 0.7082062890879998, "luck": 0.4167216444296241}',1.84640011866576969623e-05,12);
INSERT INTO "hippo_metrics" VALUES(10,1,1,'{"loss": 1.4120057871362517, "luck": 0.25399716101146985}',5.51430002815322950482e-05,13);
INSERT INTO "hippo_metrics" VALUES(10,1,2,'{"loss": 0.6983429730211995, "luck": 0.7555491510543797}',2.34529998124344274401e-05,13);
INSERT INTO "hippo_metrics" VALUES(10,1,3,'{"loss": 0.35382737131322267, "luck": 0.9581091069570088}',2.07190005312440916895e-05,13);
INSERT INTO "hippo_metrics" VALUES(10,2,1,'{"loss": 2.291546304697009, "luck": 0.25399716101146985}',2.76419996225740760564e-05,13);
INSERT INTO "hippo_metrics" VALUES(10,2,2,'{"loss": 1.8572751132834882, "luck": 0.7555491510543797}',1.86849993042415e-05,13);
INSERT INTO "hippo_metrics" VALUES(10,2,3,'{"loss": 1.5143039172892543, "luck": 0.9581091069570088}',1.73520002135774120688e-05,13);
INSERT INTO "hippo_metrics" VALUES(10,3,1,'{"loss": 1.8245728224913753, "luck": 0.25399716101146985}',2.36939995374996215105e-05,13);
INSERT INTO "hippo_metrics" VALUES(10,3,2,'{"loss": 1.1710342522501354, "luck": 0.7555491510543797}',1.82940002559917047619e-05,13);
INSERT INTO "hippo_metrics" VALUES(10,3,3,'{"loss": 0.7622305003625882, "luck": 0.9581091069570088}',1.76129997271345928311e-05,13);
INSERT INTO "hippo_metrics" VALUES(11,1,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',7.55110013415105640888e-05,14);
INSERT INTO "hippo_metrics" VALUES(11,1,2,'{"loss": 0.7679914958981895, "luck": 0.8990734568859705}',2.66290007857605814933e-05,14);
INSERT INTO "hippo_metrics" VALUES(11,1,3,'{"loss": 0.34563827023065713, "luck": 0.5606985584456248}',3.80910005333134904503e-05,14);
INSERT INTO "hippo_metrics" VALUES(11,2,1,'{"loss": 2.595278690882496, "luck": 0.7351928141853318}',2.71709996013669297099e-05,14);
INSERT INTO "hippo_metrics" VALUES(11,2,2,'{"loss": 2.081041290048132, "luck": 0.8990734568859705}',1.827400046749971807e-05,14);
INSERT INTO "hippo_metrics" VALUES(11,2,3,'{"loss": 1.663187771431688, "luck": 0.5606985584456248}',1.69409995578462257981e-05,14);
INSERT INTO "hippo_metrics" VALUES(11,3,1,'{"loss": 2.0921210915666495, "luck": 0.7351928141853318}',2.36739997490076348185e-05,14);
INSERT INTO "hippo_metrics" VALUES(11,3,2,'{"loss": 1.3059238627827707, "luck": 0.8990734568859705}',1.77729998540598899126e-05,14);
INSERT INTO "hippo_metrics" VALUES(11,3,3,'{"loss": 0.8045146250303803, "luck": 0.5606985584456248}',1.72430009115487337112e-05,14);
INSERT INTO "hippo_metrics" VALUES(12,1,1,'{"loss": 0.5882027589421148, "luck": 0.2919745267583853}',2.52869995165383443236e-05,15);
INSERT INTO "hippo_metrics" VALUES(12,1,2,'{"loss": 0.34670272670041236, "luck": 0.39900061541324894}',2.14800002140691503882e-05,15);
INSERT INTO "hippo_metrics" VALUES(12,1,3,'{"loss": 0.21363536787014628, "luck": 0.4167216444296241}',2.04680000024382025003e-05,15);
INSERT INTO "hippo_metrics" VALUES(12,2,1,'{"loss": 1.001196401849103, "luck": 0.2919745267583853}',2.17799988604383543133e-05,15);
INSERT INTO "hippo_metrics" VALUES(12,2,2,'{"loss": 0.8407915014041911, "luck": 0.39900061541324894}',1.84349992196075618267e-05,15);
INSERT INTO "hippo_metrics" VALUES(12,2,3,'{"loss": 0.7082062890879998, "luck": 0.4167216444296241}',1.73420012288261204957e-05,15);
INSERT INTO "hippo_metrics" VALUES(12,3,1,'{"loss": 0.780633851573473, "luck": 0.2919745267583853}',4.17280007241060957312e-05,15);
INSERT INTO "hippo_metrics" VALUES(12,3,2,'{"loss": 0.5482365060163169, "luck": 0.39900061541324894}',2.15010004467330873012e-05,15);
INSERT INTO "hippo_metrics" VALUES(12,3,3,'{"loss": 0.39096937177195373, "luck": 0.4167216444296241}',1.79130001924932e-05,15);
CREATE TABLE hippo_node (
	"plan" BIGINT NOT NULL, 
	node BIGINT NOT NULL, 
	parent BIGINT, 
	start BIGINT NOT NULL, 
	pieces TEXT NOT NULL, 
	owner TEXT NOT NULL, 
	inexact BOOLEAN NOT NULL, 
	digest VARCHAR(32) NOT NULL, 
	PRIMARY KEY ("plan", node)
);
INSERT INTO "hippo_node" VALUES(1,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0,'ffc34310b96c1953981a6667a9d27a9a');
INSERT INTO "hippo_node" VALUES(1,2,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0,'1f2b8a459f9e71e72df0821febd7d4b0');
INSERT INTO "hippo_node" VALUES(1,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0,'23e640cef842658df09059489c0208c4');
INSERT INTO "hippo_node" VALUES(2,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0,'ffc34310b96c1953981a6667a9d27a9a');
INSERT INTO "hippo_node" VALUES(2,2,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0,'1f2b8a459f9e71e72df0821febd7d4b0');
INSERT INTO "hippo_node" VALUES(2,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0,'23e640cef842658df09059489c0208c4');
INSERT INTO "hippo_node" VALUES(1,4,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','',0,'a6894cb85059291b2b7ec24c2100309d');
INSERT INTO "hippo_node" VALUES(1,5,4,2,'{"lr": {"kind": "constant", "arguments": [0.03], "origin": null}}','',0,'a296162f2e80457b4ebdb62c2d861712');
INSERT INTO "hippo_node" VALUES(1,6,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.25], "origin": null}}','',0,'ceb0d766f5daf7bff635762003ab9479');
INSERT INTO "hippo_node" VALUES(1,7,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.8], "origin": null}}','',0,'141b5c728914f5488e91737866caeac4');
INSERT INTO "hippo_node" VALUES(2,4,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.8], "origin": null}}','',0,'141b5c728914f5488e91737866caeac4');
INSERT INTO "hippo_node" VALUES(1,8,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.7000000000000001], "origin": null}}','',0,'0bedfc7b17d7631ab57e371170ca5db9');
INSERT INTO "hippo_node" VALUES(2,5,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.7000000000000001], "origin": null}}','',0,'0bedfc7b17d7631ab57e371170ca5db9');
INSERT INTO "hippo_node" VALUES(1,9,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.6000000000000001], "origin": null}}','',0,'0b729b7aa30d64cae90f540a6fc302ba');
INSERT INTO "hippo_node" VALUES(2,6,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.6000000000000001], "origin": null}}','',0,'0b729b7aa30d64cae90f540a6fc302ba');
INSERT INTO "hippo_node" VALUES(1,10,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.5], "origin": null}}','',0,'b0ad372e23460fa58087afd8eed79aab');
INSERT INTO "hippo_node" VALUES(2,7,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.5], "origin": null}}','',0,'b0ad372e23460fa58087afd8eed79aab');
INSERT INTO "hippo_node" VALUES(1,11,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.4], "origin": null}}','',0,'df01f57d1005f2f33a9ab728e240ad15');
INSERT INTO "hippo_node" VALUES(2,8,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.4], "origin": null}}','',0,'df01f57d1005f2f33a9ab728e240ad15');
INSERT INTO "hippo_node" VALUES(2,9,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','',0,'a6894cb85059291b2b7ec24c2100309d');
INSERT INTO "hippo_node" VALUES(2,10,9,2,'{"lr": {"kind": "constant", "arguments": [0.03], "origin": null}}','',0,'a296162f2e80457b4ebdb62c2d861712');
INSERT INTO "hippo_node" VALUES(2,11,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.25], "origin": null}}','',0,'ceb0d766f5daf7bff635762003ab9479');
INSERT INTO "hippo_node" VALUES(3,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','',0,'a6894cb85059291b2b7ec24c2100309d');
INSERT INTO "hippo_node" VALUES(3,2,1,2,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'b8cc1489d8d3749e6856b7818f1fc85e');
INSERT INTO "hippo_node" VALUES(4,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','',0,'a6894cb85059291b2b7ec24c2100309d');
INSERT INTO "hippo_node" VALUES(4,2,1,2,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'b8cc1489d8d3749e6856b7818f1fc85e');
INSERT INTO "hippo_node" VALUES(5,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','',0,'a6894cb85059291b2b7ec24c2100309d');
INSERT INTO "hippo_node" VALUES(5,2,1,2,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'b8cc1489d8d3749e6856b7818f1fc85e');
INSERT INTO "hippo_node" VALUES(3,3,1,3,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'2e8465dd3f3bc4abb0f619bb85775b5d');
INSERT INTO "hippo_node" VALUES(4,3,1,3,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'2e8465dd3f3bc4abb0f619bb85775b5d');
INSERT INTO "hippo_node" VALUES(5,3,1,3,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'2e8465dd3f3bc4abb0f619bb85775b5d');
INSERT INTO "hippo_node" VALUES(3,4,1,4,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'f7ce47ebaa3d8481d022a2b98240e6db');
INSERT INTO "hippo_node" VALUES(4,4,1,4,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'f7ce47ebaa3d8481d022a2b98240e6db');
INSERT INTO "hippo_node" VALUES(5,4,1,4,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'f7ce47ebaa3d8481d022a2b98240e6db');
INSERT INTO "hippo_node" VALUES(3,5,1,5,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'7c27e464d749ae0a4a3be3b1f658d8a4');
INSERT INTO "hippo_node" VALUES(4,5,1,5,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'7c27e464d749ae0a4a3be3b1f658d8a4');
INSERT INTO "hippo_node" VALUES(5,5,1,5,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'7c27e464d749ae0a4a3be3b1f658d8a4');
INSERT INTO "hippo_node" VALUES(3,6,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0,'ffc34310b96c1953981a6667a9d27a9a');
INSERT INTO "hippo_node" VALUES(3,7,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0,'1f2b8a459f9e71e72df0821febd7d4b0');
INSERT INTO "hippo_node" VALUES(3,8,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0,'23e640cef842658df09059489c0208c4');
INSERT INTO "hippo_node" VALUES(4,6,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0,'ffc34310b96c1953981a6667a9d27a9a');
INSERT INTO "hippo_node" VALUES(4,7,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0,'1f2b8a459f9e71e72df0821febd7d4b0');
INSERT INTO "hippo_node" VALUES(4,8,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0,'23e640cef842658df09059489c0208c4');
INSERT INTO "hippo_node" VALUES(5,6,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0,'ffc34310b96c1953981a6667a9d27a9a');
INSERT INTO "hippo_node" VALUES(5,7,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0,'1f2b8a459f9e71e72df0821febd7d4b0');
INSERT INTO "hippo_node" VALUES(5,8,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0,'23e640cef842658df09059489c0208c4');
INSERT INTO "hippo_node" VALUES(6,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/0',0,'27a11af7617e9d0a511ddf56bd31c42f');
INSERT INTO "hippo_node" VALUES(6,2,1,2,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'c174ad26fa0beb6466319d72fe9419ad');
INSERT INTO "hippo_node" VALUES(7,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/0',0,'27a11af7617e9d0a511ddf56bd31c42f');
INSERT INTO "hippo_node" VALUES(7,2,1,2,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'c174ad26fa0beb6466319d72fe9419ad');
INSERT INTO "hippo_node" VALUES(6,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/1',0,'5d8d450cdbe65dda0cd8d6e0f01f7329');
INSERT INTO "hippo_node" VALUES(6,4,3,3,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'3587af63a09a12f068bf72d3861188a6');
INSERT INTO "hippo_node" VALUES(7,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/1',0,'5d8d450cdbe65dda0cd8d6e0f01f7329');
INSERT INTO "hippo_node" VALUES(7,4,3,3,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'3587af63a09a12f068bf72d3861188a6');
INSERT INTO "hippo_node" VALUES(6,5,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/2',0,'bb2783ebc1ebc35944fa134c7c48d201');
INSERT INTO "hippo_node" VALUES(6,6,5,4,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'43d085291c53964c787783fe8d4e66dc');
INSERT INTO "hippo_node" VALUES(7,5,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/2',0,'bb2783ebc1ebc35944fa134c7c48d201');
INSERT INTO "hippo_node" VALUES(7,6,5,4,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'43d085291c53964c787783fe8d4e66dc');
INSERT INTO "hippo_node" VALUES(6,7,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/3',0,'a93e9c1765b597e041c4312f7a0ac981');
INSERT INTO "hippo_node" VALUES(6,8,7,5,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'31ea2ca2c76298690194d01eccd289a5');
INSERT INTO "hippo_node" VALUES(7,7,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/3',0,'a93e9c1765b597e041c4312f7a0ac981');
INSERT INTO "hippo_node" VALUES(7,8,7,5,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'31ea2ca2c76298690194d01eccd289a5');
INSERT INTO "hippo_node" VALUES(6,9,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/4',0,'f20f6f4b7eaf7e890cfa7c70607dfa21');
INSERT INTO "hippo_node" VALUES(6,10,9,2,'{"lr": {"kind": "constant", "arguments": [0.03], "origin": null}}','',0,'f9cf899a80b4ca995ad147489197b06f');
INSERT INTO "hippo_node" VALUES(6,11,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/5',0,'f4fe301471370258d4ad48044526c38c');
INSERT INTO "hippo_node" VALUES(6,12,11,4,'{"lr": {"kind": "constant", "arguments": [0.03], "origin": null}}','',0,'8dae372193f6afe713f4ee57d4f5591e');
INSERT INTO "hippo_node" VALUES(6,13,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/6',0,'a702b7028b2c21419995482f57437d32');
INSERT INTO "hippo_node" VALUES(7,9,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/4',0,'f20f6f4b7eaf7e890cfa7c70607dfa21');
INSERT INTO "hippo_node" VALUES(7,10,9,2,'{"lr": {"kind": "constant", "arguments": [0.03], "origin": null}}','',0,'f9cf899a80b4ca995ad147489197b06f');
INSERT INTO "hippo_node" VALUES(7,11,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/5',0,'f4fe301471370258d4ad48044526c38c');
INSERT INTO "hippo_node" VALUES(7,12,11,4,'{"lr": {"kind": "constant", "arguments": [0.03], "origin": null}}','',0,'8dae372193f6afe713f4ee57d4f5591e');
INSERT INTO "hippo_node" VALUES(7,13,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/6',0,'a702b7028b2c21419995482f57437d32');
INSERT INTO "hippo_node" VALUES(8,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0,'ffc34310b96c1953981a6667a9d27a9a');
INSERT INTO "hippo_node" VALUES(8,2,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0,'1f2b8a459f9e71e72df0821febd7d4b0');
INSERT INTO "hippo_node" VALUES(8,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0,'23e640cef842658df09059489c0208c4');
INSERT INTO "hippo_node" VALUES(9,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0,'ffc34310b96c1953981a6667a9d27a9a');
INSERT INTO "hippo_node" VALUES(9,2,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0,'1f2b8a459f9e71e72df0821febd7d4b0');
INSERT INTO "hippo_node" VALUES(9,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0,'23e640cef842658df09059489c0208c4');
INSERT INTO "hippo_node" VALUES(10,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0,'ffc34310b96c1953981a6667a9d27a9a');
INSERT INTO "hippo_node" VALUES(10,2,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0,'1f2b8a459f9e71e72df0821febd7d4b0');
INSERT INTO "hippo_node" VALUES(10,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0,'23e640cef842658df09059489c0208c4');
INSERT INTO "hippo_node" VALUES(11,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0,'ffc34310b96c1953981a6667a9d27a9a');
INSERT INTO "hippo_node" VALUES(11,2,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0,'1f2b8a459f9e71e72df0821febd7d4b0');
INSERT INTO "hippo_node" VALUES(11,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0,'23e640cef842658df09059489c0208c4');
INSERT INTO "hippo_node" VALUES(12,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0,'ffc34310b96c1953981a6667a9d27a9a');
INSERT INTO "hippo_node" VALUES(12,2,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0,'1f2b8a459f9e71e72df0821febd7d4b0');
INSERT INTO "hippo_node" VALUES(12,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0,'23e640cef842658df09059489c0208c4');
CREATE TABLE hippo_plan (
	"plan" BIGINT NOT NULL, 
	workload TEXT NOT NULL, 
	declared TEXT NOT NULL, 
	fork BIGINT NOT NULL, 
	environment TEXT NOT NULL, 
	exactness TEXT NOT NULL, 
	epoch BIGINT NOT NULL, 
	writer TEXT NOT NULL, 
	created_at FLOAT NOT NULL, 
	PRIMARY KEY ("plan")
);
INSERT INTO "hippo_plan" VALUES(1,'a9a031d399da2d663ca45e58a803a53d1cd89c168a65587bd19e37e544d8b706','{"arguments": "{}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 0, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',12,'somebody',1.79535703163368725774e+09);
INSERT INTO "hippo_plan" VALUES(2,'eeaea41b713919954641d1174b972e128ed310241e7de4c260c79480b6b37a7f','{"arguments": "{}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 1, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',6,'somebody',1.79535703199023818975e+09);
INSERT INTO "hippo_plan" VALUES(3,'097ad3ddb8e5902c940b83dd39f7b6935d5354bf1e4ff52d805664c8ccd0a3ae','{"arguments": "{}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 10, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',2,'somebody',1.79535703413624286653e+09);
INSERT INTO "hippo_plan" VALUES(4,'9188e6730ba588634b7af8579fc562edac19a740fc65e54b732af55eced8083b','{"arguments": "{}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 9, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',2,'somebody',1.79535703413884806635e+09);
INSERT INTO "hippo_plan" VALUES(5,'fbe8687c19d1f1fda72c640c46638e7ab490450be963a441cf4d766c898aaf76','{"arguments": "{}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 2, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',2,'somebody',1.79535703414837908738e+09);
INSERT INTO "hippo_plan" VALUES(6,'587a910fdbef303ee0c43fe4769ae59c99e4b80a7b941b517d2b3e86d0bbfb79','{"arguments": "{}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": "private (seed 0)", "scale": "1", "seed": 0, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',2,'somebody',1.79535703498751831059e+09);
INSERT INTO "hippo_plan" VALUES(7,'a5578882a8f33d0c0082421f2e6cad3c3cbac43aff5080e8a09a4d3171d70008','{"arguments": "{}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": "private (seed 1)", "scale": "1", "seed": 1, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',2,'somebody',1.79535703499013972279e+09);
INSERT INTO "hippo_plan" VALUES(8,'57fd48ef2a95e184280d32eb74083e86fa09970ba198e57db08b0d66b4ad6aed','{"arguments": "{\"raise_at\":1,\"raise_if\":{\"lr\":0.2},\"raise_in\":\"train\"}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 0, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',1,'somebody',1.79535703571447300915e+09);
INSERT INTO "hippo_plan" VALUES(9,'ec65d00b46cc445f46365217b558b190cf3644406041e4ef620ccd3d48276e91','{"arguments": "{\"raise_at\":1,\"raise_if\":{\"lr\":0.2},\"raise_in\":\"train\"}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 1, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',1,'somebody',1.79535703572049903866e+09);
INSERT INTO "hippo_plan" VALUES(10,'6936fecdee1ab09fb99785aa144ad31c79aedeb2a89bca41764799a4733064f4','{"arguments": "{}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 5, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',1,'somebody',1.7953570375858874321e+09);
INSERT INTO "hippo_plan" VALUES(11,'f47f13ab8f53c59f27d64bd99306ae333753f7898397ddea065aff318f3c86d0','{"arguments": "{}", "code": "version 2", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 0, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',2,'somebody',1.7953570380317428112e+09);
INSERT INTO "hippo_plan" VALUES(12,'7fb2056246e5687cac706b4f7f013e367b594eaeb0e5e8b456a4be91151e707d','{"arguments": "{}", "code": "version 2", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 1, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',1,'somebody',1.795357038467312336e+09);
CREATE TABLE hippo_request (
	study BIGINT NOT NULL, 
	request BIGINT NOT NULL, 
	call BIGINT NOT NULL, 
	trial BIGINT NOT NULL, 
	member TEXT NOT NULL, 
	until BIGINT NOT NULL, 
	final BOOLEAN NOT NULL, 
	uncovered TEXT NOT NULL, 
	state TEXT NOT NULL, 
	delivery BIGINT, 
	seconds FLOAT, 
	PRIMARY KEY (study, request)
);
INSERT INTO "hippo_request" VALUES(1,1,0,0,'',2,1,'','answered',0,2.48494001425569877028e-04);
INSERT INTO "hippo_request" VALUES(1,2,0,1,'',2,1,'','answered',1,1.84745000296970829367e-04);
INSERT INTO "hippo_request" VALUES(1,3,0,2,'',2,1,'','answered',2,2.35669000176130793988e-04);
INSERT INTO "hippo_request" VALUES(2,1,0,0,'seed 0',2,1,'','answered',0,2.48494001425569877028e-04);
INSERT INTO "hippo_request" VALUES(2,2,0,0,'seed 1',2,1,'','answered',1,2.37591999393771402537e-04);
INSERT INTO "hippo_request" VALUES(2,3,0,1,'seed 0',2,1,'','answered',0,1.84745000296970829367e-04);
INSERT INTO "hippo_request" VALUES(2,4,0,1,'seed 1',2,1,'','answered',2,1.58506001753266900777e-04);
INSERT INTO "hippo_request" VALUES(2,5,0,2,'seed 0',2,1,'','answered',0,2.35669000176130793988e-04);
INSERT INTO "hippo_request" VALUES(2,6,0,2,'seed 1',2,1,'','answered',3,1.80817998625570908188e-04);
INSERT INTO "hippo_request" VALUES(3,1,0,0,'',2,1,'','answered',0,2.48494001425569877028e-04);
INSERT INTO "hippo_request" VALUES(3,2,0,1,'',2,1,'','answered',0,1.84745000296970829367e-04);
INSERT INTO "hippo_request" VALUES(3,3,0,2,'',2,1,'','answered',0,2.35669000176130793988e-04);
INSERT INTO "hippo_request" VALUES(4,1,0,0,'',2,1,'','answered',0,2.48494001425569877028e-04);
INSERT INTO "hippo_request" VALUES(4,2,0,1,'',2,1,'','answered',0,1.84745000296970829367e-04);
INSERT INTO "hippo_request" VALUES(4,3,0,2,'',2,1,'','answered',0,2.35669000176130793988e-04);
INSERT INTO "hippo_request" VALUES(5,1,0,0,'',2,0,'','answered',0,2.88628001726465299725e-04);
INSERT INTO "hippo_request" VALUES(5,2,0,1,'',2,0,'','answered',0,2.88628001726465299725e-04);
INSERT INTO "hippo_request" VALUES(5,3,0,2,'',2,0,'','answered',0,2.88628001726465299725e-04);
INSERT INTO "hippo_request" VALUES(5,4,0,0,'',4,0,'','answered',1,4.76227001854567788541e-04);
INSERT INTO "hippo_request" VALUES(5,5,0,0,'',8,1,'','answered',2,7.95392006693873554468e-04);
INSERT INTO "hippo_request" VALUES(5,6,1,3,'',3,0,'','answered',0,2.20861998968757688999e-04);
INSERT INTO "hippo_request" VALUES(5,7,2,4,'',4,1,'','answered',0,3.80750003387220203876e-04);
INSERT INTO "hippo_request" VALUES(5,8,2,5,'',4,1,'','answered',1,0.000282556002275669);
INSERT INTO "hippo_request" VALUES(5,9,2,6,'',4,1,'','answered',2,4.02872001359355635941e-04);
INSERT INTO "hippo_request" VALUES(6,1,0,0,'seed 0',2,0,'','answered',2,1.7994599875237327069e-04);
INSERT INTO "hippo_request" VALUES(6,2,0,0,'seed 1',2,0,'','answered',1,2.40807999944081529974e-04);
INSERT INTO "hippo_request" VALUES(6,3,0,0,'seed 0',4,0,'','answered',5,4.31453998317010700702e-04);
INSERT INTO "hippo_request" VALUES(6,4,0,0,'seed 1',4,0,'','answered',4,3.92259002182981930673e-04);
INSERT INTO "hippo_request" VALUES(6,5,0,1,'seed 0',2,0,'','answered',8,1.78592999873217195272e-04);
INSERT INTO "hippo_request" VALUES(6,6,0,1,'seed 1',2,0,'','answered',7,2.4933599888754542917e-04);
INSERT INTO "hippo_request" VALUES(6,7,0,2,'seed 0',2,0,'','answered',11,2.88867999188369140028e-04);
INSERT INTO "hippo_request" VALUES(6,8,0,2,'seed 1',2,0,'','answered',10,2.93055998554336838424e-04);
INSERT INTO "hippo_request" VALUES(6,9,0,3,'seed 0',2,0,'','answered',14,1.41544001962756738066e-04);
INSERT INTO "hippo_request" VALUES(6,10,0,3,'seed 1',2,0,'','answered',13,1.49318000694620423018e-04);
INSERT INTO "hippo_request" VALUES(6,11,0,3,'seed 0',4,0,'','answered',17,2.8039400240231771022e-04);
INSERT INTO "hippo_request" VALUES(6,12,0,3,'seed 1',4,0,'','answered',16,3.18383998092031106352e-04);
INSERT INTO "hippo_request" VALUES(6,13,0,4,'seed 0',2,0,'','answered',20,1.48326002090470865368e-04);
INSERT INTO "hippo_request" VALUES(6,14,0,4,'seed 1',2,0,'','answered',19,1.5902599989203736186e-04);
INSERT INTO "hippo_request" VALUES(6,15,0,5,'seed 0',2,0,'','answered',22,2.48494001425569877028e-04);
INSERT INTO "hippo_request" VALUES(6,16,0,5,'seed 1',2,0,'','answered',22,2.37591999393771402537e-04);
INSERT INTO "hippo_request" VALUES(6,17,0,6,'seed 0',2,0,'','answered',24,2.35669000176130793988e-04);
INSERT INTO "hippo_request" VALUES(6,18,0,6,'seed 1',2,0,'','answered',24,1.80817998625570908188e-04);
INSERT INTO "hippo_request" VALUES(6,19,0,6,'seed 0',4,0,'','answered',26,4.02872001359355635941e-04);
INSERT INTO "hippo_request" VALUES(6,20,0,6,'seed 1',4,0,'','answered',27,2.80022995866602286696e-04);
INSERT INTO "hippo_request" VALUES(6,21,0,7,'seed 0',2,0,'','answered',29,1.84745000296970829367e-04);
INSERT INTO "hippo_request" VALUES(6,22,0,7,'seed 1',2,0,'','answered',29,1.58506001753266900777e-04);
INSERT INTO "hippo_request" VALUES(6,23,1,8,'seed 0',2,0,'','answered',0,2.88628001726465299725e-04);
INSERT INTO "hippo_request" VALUES(6,24,1,8,'seed 1',2,0,'','answered',1,2.24287001401535235345e-04);
INSERT INTO "hippo_request" VALUES(6,25,1,9,'seed 0',2,0,'','answered',0,2.88628001726465299725e-04);
INSERT INTO "hippo_request" VALUES(6,26,1,9,'seed 1',2,0,'','answered',1,2.24287001401535235345e-04);
INSERT INTO "hippo_request" VALUES(6,27,1,10,'seed 0',2,0,'','answered',0,2.88628001726465299725e-04);
INSERT INTO "hippo_request" VALUES(6,28,1,10,'seed 1',2,0,'','answered',1,2.24287001401535235345e-04);
INSERT INTO "hippo_request" VALUES(6,29,1,8,'seed 0',4,0,'','answered',2,4.76227001854567788541e-04);
INSERT INTO "hippo_request" VALUES(6,30,1,8,'seed 1',4,0,'','answered',3,4.52052001492120325565e-04);
INSERT INTO "hippo_request" VALUES(6,31,1,8,'seed 0',8,1,'','answered',4,7.95392006693873554468e-04);
INSERT INTO "hippo_request" VALUES(6,32,1,8,'seed 1',8,1,'','answered',5,8.634680034447228536e-04);
INSERT INTO "hippo_request" VALUES(6,33,2,11,'seed 0',3,0,'','answered',0,2.20861998968757688999e-04);
INSERT INTO "hippo_request" VALUES(6,34,2,11,'seed 1',3,0,'','answered',1,2.72018001851392909884e-04);
INSERT INTO "hippo_request" VALUES(7,1,0,0,'seed 10',6,0,'[0, 6, 6, 6, 6]','answered',0,7.81415998062584549188e-04);
INSERT INTO "hippo_request" VALUES(7,2,0,0,'seed 9',6,0,'[0, 6, 6, 6, 6]','answered',1,5.63990004593506455421e-04);
INSERT INTO "hippo_request" VALUES(7,3,0,0,'seed 2',6,0,'[0, 6, 6, 6, 6]','answered',2,5.22154001373564824461e-04);
INSERT INTO "hippo_request" VALUES(7,4,0,1,'seed 10',6,0,'[4, 4, 4, 4]','answered',3,0.00056628600032127);
INSERT INTO "hippo_request" VALUES(7,5,0,1,'seed 9',6,0,'[4, 4, 4, 4]','answered',4,5.40619997991598211228e-04);
INSERT INTO "hippo_request" VALUES(7,6,0,1,'seed 2',6,0,'[4, 4, 4, 4]','answered',5,4.67244997707894071936e-04);
INSERT INTO "hippo_request" VALUES(7,7,0,2,'seed 10',6,0,'[7, 3, 3]','answered',6,6.23964997430448420345e-04);
INSERT INTO "hippo_request" VALUES(7,8,0,2,'seed 9',6,0,'[7, 3, 3]','answered',7,5.41932002306566573679e-04);
INSERT INTO "hippo_request" VALUES(7,9,0,2,'seed 2',6,0,'[7, 3, 3]','answered',8,4.82010002087918110191e-04);
INSERT INTO "hippo_request" VALUES(7,10,0,3,'seed 10',6,0,'[9, 2]','answered',11,0.000670872001137468);
INSERT INTO "hippo_request" VALUES(7,11,0,3,'seed 9',6,0,'[9, 2]','answered',9,5.57139999727951362729e-04);
INSERT INTO "hippo_request" VALUES(7,12,0,3,'seed 2',6,0,'[9, 2]','answered',10,4.81236998894019052386e-04);
INSERT INTO "hippo_request" VALUES(7,13,1,4,'seed 10',4,1,'','answered',0,2.84750001810607500374e-04);
INSERT INTO "hippo_request" VALUES(7,14,1,4,'seed 9',4,1,'','answered',3,2.38775002799229696393e-04);
INSERT INTO "hippo_request" VALUES(7,15,1,4,'seed 2',4,1,'','answered',6,3.04818000586237758398e-04);
INSERT INTO "hippo_request" VALUES(7,16,1,5,'seed 10',4,1,'','answered',1,2.70516002274234779179e-04);
INSERT INTO "hippo_request" VALUES(7,17,1,5,'seed 9',4,1,'','answered',4,2.78861001788754947483e-04);
INSERT INTO "hippo_request" VALUES(7,18,1,5,'seed 2',4,1,'','answered',7,3.12174999635317362844e-04);
INSERT INTO "hippo_request" VALUES(7,19,1,6,'seed 10',4,1,'','answered',2,2.60134997006389312446e-04);
INSERT INTO "hippo_request" VALUES(7,20,1,6,'seed 9',4,1,'','answered',5,2.79158999546780250966e-04);
INSERT INTO "hippo_request" VALUES(7,21,1,6,'seed 2',4,1,'','answered',8,2.88679002551361918449e-04);
INSERT INTO "hippo_request" VALUES(8,1,0,0,'seed 0',6,0,'[0, 6, 6, 6, 6]','answered',0,5.95520999922882765531e-04);
INSERT INTO "hippo_request" VALUES(8,2,0,0,'seed 1',6,0,'[0, 6, 6, 6, 6]','answered',1,9.4523400002799462527e-04);
INSERT INTO "hippo_request" VALUES(8,3,0,1,'seed 0',6,0,'[4, 6, 6, 6]','answered',3,5.02257000334793701767e-04);
INSERT INTO "hippo_request" VALUES(8,4,0,1,'seed 1',6,0,'[4, 6, 6, 6]','answered',2,4.4489899846666958183e-04);
INSERT INTO "hippo_request" VALUES(8,5,0,2,'seed 0',6,0,'[7, 6, 6]','answered',5,5.65432999792392365634e-04);
INSERT INTO "hippo_request" VALUES(8,6,0,2,'seed 1',6,0,'[7, 6, 6]','answered',4,4.5472799865819979459e-04);
INSERT INTO "hippo_request" VALUES(8,7,0,3,'seed 0',6,0,'[9, 6]','answered',7,4.99782003316795453429e-04);
INSERT INTO "hippo_request" VALUES(8,8,0,3,'seed 1',6,0,'[9, 6]','answered',6,4.93942994580720551311e-04);
INSERT INTO "hippo_request" VALUES(8,9,1,4,'seed 0',6,1,'','answered',1,5.25060000654775649309e-04);
INSERT INTO "hippo_request" VALUES(8,10,1,4,'seed 1',6,1,'','answered',0,4.00387998524820432066e-04);
INSERT INTO "hippo_request" VALUES(8,11,1,5,'seed 0',6,1,'','answered',2,7.95393994849291630089e-04);
INSERT INTO "hippo_request" VALUES(8,12,1,5,'seed 1',6,1,'','answered',4,3.94003001929377205669e-04);
INSERT INTO "hippo_request" VALUES(8,13,1,6,'seed 0',6,1,'','answered',3,3.91141002182848751544e-04);
INSERT INTO "hippo_request" VALUES(8,14,1,6,'seed 1',6,1,'','answered',5,0.000548601996342768);
INSERT INTO "hippo_request" VALUES(9,1,0,0,'seed 0',3,1,'','answered',0,3.56176000423147343099e-04);
INSERT INTO "hippo_request" VALUES(9,2,0,0,'seed 1',3,1,'','answered',1,2.70094997176784090697e-04);
INSERT INTO "hippo_request" VALUES(9,3,0,1,'seed 0',3,1,'','answered',2,2.95751999146887101233e-04);
INSERT INTO "hippo_request" VALUES(9,4,0,1,'seed 1',3,1,'','answered',4,3.52848002876271493732e-04);
INSERT INTO "hippo_request" VALUES(9,5,0,2,'seed 0',3,1,'','answered',3,1.4943799942557234317e-04);
INSERT INTO "hippo_request" VALUES(9,6,0,2,'seed 1',3,1,'','answered',5,1.47434000609791837632e-04);
INSERT INTO "hippo_request" VALUES(10,1,0,0,'seed 0',2,0,'','answered',1,1.7994599875237327069e-04);
INSERT INTO "hippo_request" VALUES(10,2,0,0,'seed 1',2,0,'','answered',1,2.40807999944081529974e-04);
INSERT INTO "hippo_request" VALUES(10,3,0,0,'seed 0',4,0,'','answered',3,4.31453998317010700702e-04);
INSERT INTO "hippo_request" VALUES(10,4,0,0,'seed 1',4,0,'','answered',3,3.92259002182981930673e-04);
INSERT INTO "hippo_request" VALUES(10,5,0,1,'seed 0',2,0,'','answered',5,1.78592999873217195272e-04);
INSERT INTO "hippo_request" VALUES(10,6,0,1,'seed 1',2,0,'','answered',5,2.4933599888754542917e-04);
INSERT INTO "hippo_request" VALUES(10,7,0,2,'seed 0',2,0,'','answered',7,2.88867999188369140028e-04);
INSERT INTO "hippo_request" VALUES(10,8,0,2,'seed 1',2,0,'','answered',7,2.93055998554336838424e-04);
INSERT INTO "hippo_request" VALUES(10,9,0,3,'seed 0',2,0,'','answered',9,1.41544001962756738066e-04);
INSERT INTO "hippo_request" VALUES(10,10,0,3,'seed 1',2,0,'','answered',9,1.49318000694620423018e-04);
INSERT INTO "hippo_request" VALUES(11,1,0,0,'',3,1,'','answered',0,3.16731002385495230555e-04);
INSERT INTO "hippo_request" VALUES(11,2,0,1,'',3,1,'','answered',0,2.33846001719939522445e-04);
INSERT INTO "hippo_request" VALUES(11,3,0,2,'',3,1,'','answered',0,3.51425998815102502703e-04);
INSERT INTO "hippo_request" VALUES(12,1,0,0,'',3,1,'','answered',1,3.51414000760996714234e-04);
INSERT INTO "hippo_request" VALUES(12,2,0,1,'',3,1,'','answered',2,2.0939000387443229556e-04);
INSERT INTO "hippo_request" VALUES(12,3,0,2,'',3,1,'','answered',0,2.29718996706651523709e-04);
INSERT INTO "hippo_request" VALUES(13,1,0,0,'',3,1,'','answered',0,3.50403000993537716567e-04);
INSERT INTO "hippo_request" VALUES(13,2,0,1,'',3,1,'','answered',1,2.36160998611012473702e-04);
INSERT INTO "hippo_request" VALUES(13,3,0,2,'',3,1,'','answered',2,2.07678001970634795725e-04);
INSERT INTO "hippo_request" VALUES(14,1,0,0,'',3,1,'','answered',0,0.000470196000605938);
INSERT INTO "hippo_request" VALUES(14,2,0,1,'',3,1,'','answered',1,2.06093000088003464043e-04);
INSERT INTO "hippo_request" VALUES(14,3,0,2,'',3,1,'','answered',2,2.0323999888205435127e-04);
INSERT INTO "hippo_request" VALUES(15,1,0,0,'seed 0',3,1,'','answered',0,0.000470196000605938);
INSERT INTO "hippo_request" VALUES(15,2,0,0,'seed 1',3,1,'','answered',1,2.84441000985680148005e-04);
INSERT INTO "hippo_request" VALUES(15,3,0,1,'seed 0',3,1,'','answered',0,2.06093000088003464043e-04);
INSERT INTO "hippo_request" VALUES(15,4,0,1,'seed 1',3,1,'','answered',2,1.90585000382270663976e-04);
INSERT INTO "hippo_request" VALUES(15,5,0,2,'seed 0',3,1,'','answered',0,2.0323999888205435127e-04);
INSERT INTO "hippo_request" VALUES(15,6,0,2,'seed 1',3,1,'','answered',3,3.15800001772004179656e-04);
CREATE TABLE hippo_state (
	"plan" BIGINT NOT NULL, 
	node BIGINT NOT NULL, 
	step BIGINT NOT NULL, 
	state_hash TEXT NOT NULL, 
	PRIMARY KEY ("plan", node, step)
);
INSERT INTO "hippo_state" VALUES(1,1,2,'81608b9055b377a465c56b4e992e972e2d460886e8656929c66c2db1d5ae499b');
INSERT INTO "hippo_state" VALUES(1,2,2,'56494864e705081ac8e52b7d9cda6912f8e44e0a20470dbcf7a747e3f346d3ae');
INSERT INTO "hippo_state" VALUES(1,3,2,'336a68a104565d6c827edcb36bb68e36d434ab881fe9ebf6ea384ea37d19f149');
INSERT INTO "hippo_state" VALUES(2,1,2,'3bec757eb724b8f7f5c9bcce718cb8d6412c447b5daedf17153e0344cea75e95');
INSERT INTO "hippo_state" VALUES(2,2,2,'c6facb0d31f577a89d05a61149d5f127268e9847f7e57b83e6160f72a01dfe2e');
INSERT INTO "hippo_state" VALUES(2,3,2,'b76d724ab1021ddbca984077b42f2ef47e9f6afd0f4185c5034400861eb27251');
INSERT INTO "hippo_state" VALUES(1,4,2,'ea2b48c404daa167e6dc118876a7d7a92d88ec9249a46af9884a758edc9bf4f0');
INSERT INTO "hippo_state" VALUES(1,5,4,'c6c5ed2db70247d111ed0a2d562895870fd6587cde669889fc0de7c1e0f7108c');
INSERT INTO "hippo_state" VALUES(1,5,8,'7ccf99507720545ab465d548971ed34b76068852a4df47d63779e8878eaeffe5');
INSERT INTO "hippo_state" VALUES(1,6,3,'8f87b52ea89e85a609579d42e1d1d059185fdbff14b82529aecc291ade59c2dc');
INSERT INTO "hippo_state" VALUES(1,1,4,'40bfd8acb39008f8fc629cef63fe26a3bf4bb9a39eff8bc1657b8beb0a372b4f');
INSERT INTO "hippo_state" VALUES(1,2,4,'55e209a12f3927e87c36304dbf60b8650447db6b8cd0cac7e6b98259c2eac41f');
INSERT INTO "hippo_state" VALUES(1,3,4,'f857fccbf78e7b2393676545b71bfc4967635ed92015c3452ebf650feadaa122');
INSERT INTO "hippo_state" VALUES(2,4,2,'f89007e3e104f22f3cb4f135c5798ae243cd19a35b647752c69c8a3d6b79e68b');
INSERT INTO "hippo_state" VALUES(1,7,2,'c24331926e9a3fa6b70a88044be9e146aad54426bf2a568a5dbd40c787364b79');
INSERT INTO "hippo_state" VALUES(2,4,4,'3f6c1e6a76ab985747271cc33e4b7047def94b02fec9ad7cb90d514f36c3356d');
INSERT INTO "hippo_state" VALUES(1,7,4,'7b360b708c96252fa1ce14c47cc443d2013082d5fdd761922bab9e7f7a37c99f');
INSERT INTO "hippo_state" VALUES(2,5,2,'b24a71e32f50cf1c7153914a93700c3aec4af0fa151806f6280e9c487f3778b3');
INSERT INTO "hippo_state" VALUES(1,8,2,'5d088ba1ca5e0e8559a355fb19e4696ab5388762e77325dea1dbc23b37e9974f');
INSERT INTO "hippo_state" VALUES(2,6,2,'16e61b832fa0c2e7e967e965da8fe80437fd30e40848142105640840645f14ba');
INSERT INTO "hippo_state" VALUES(1,9,2,'44d6ace46f7d7ba1c67ab9ecbcb01161a070b5244f417c89f2eb477ad9fcd302');
INSERT INTO "hippo_state" VALUES(2,7,2,'c9a1608d29b793a344f5412c2412446b3f6b59aadb303e91655824ac14164f6b');
INSERT INTO "hippo_state" VALUES(1,10,2,'6dd45e138dbd40b70e1974e4f00bff0d96be4806206edf6a67c31de4c546a3ac');
INSERT INTO "hippo_state" VALUES(2,7,4,'e920267c6ccfbfb537924d8e605a0c608a16a07c084522ed3281c21512016f43');
INSERT INTO "hippo_state" VALUES(1,10,4,'5b9fd77ba6e56062d329fe4c6e76843db24c6244b33d48414dfec89b74a3ad91');
INSERT INTO "hippo_state" VALUES(2,8,2,'4e585ae47a3fbb6d0cab636a69168908a1b8ce45e0bc23c33efba573c2937823');
INSERT INTO "hippo_state" VALUES(1,11,2,'b8811bcff2c2822f57ff29afe6837f119bd85147e416556e9c9ee07232b4838d');
INSERT INTO "hippo_state" VALUES(2,3,4,'fe6cd1c6e056bc3c5b53e524f6b93437daacbf827e569775f540b85ddfaa3bed');
INSERT INTO "hippo_state" VALUES(2,9,2,'e060c5f98d5d966e5e4db455da049d5fb8355eb8ba0e808da4c5f63cf11d1cf8');
INSERT INTO "hippo_state" VALUES(2,10,4,'eb4956d93320110551e2cfda932fb7909b23e07f5c88499926cef3735443574b');
INSERT INTO "hippo_state" VALUES(2,10,8,'1e706ac9bf5a65263776d8ea55f9d099985e9d4aa62e2281f74f1fb135e32ecd');
INSERT INTO "hippo_state" VALUES(2,11,3,'43e94f03ee38d51e6f61df5a1523034a23aaff3162e79f59fed4a0a0ddfa1f2b');
INSERT INTO "hippo_state" VALUES(3,1,2,'3d39ed117309851de4116e9162c7b29470c348b1598bd86d000512d95d358bf5');
INSERT INTO "hippo_state" VALUES(3,2,6,'106d8f7dc165040ea7a9eba188a1a49527a4192c7a5c3956d1a0c421894ed413');
INSERT INTO "hippo_state" VALUES(4,1,2,'b84cfad7812a3c5335cfeaf8157470e8c94da25ce39643dab68088659b8f1c07');
INSERT INTO "hippo_state" VALUES(4,2,6,'0a5835ad9be5026cb24c0eeaff96d4ada0f7e082c8af8a8a0d77d8b6ff62e933');
INSERT INTO "hippo_state" VALUES(5,1,2,'b85e094b37ff205bc91eae32b959aa1ba3f3ebe41bf74b8de31dcdb33cfe85f0');
INSERT INTO "hippo_state" VALUES(5,2,6,'8d4f756e901a086d9fca67c480a92504e36cbda5b422ed361ad16c600a777692');
INSERT INTO "hippo_state" VALUES(3,3,6,'202f806acc7426064f84bb24911dadd6ba3da8af9a9698372b1008a40ee1a07e');
INSERT INTO "hippo_state" VALUES(4,3,6,'f7a8815999beee21d9d27cb6a179cf73dbc6cb74f53f09900a957f2aac0764f6');
INSERT INTO "hippo_state" VALUES(5,3,6,'d7cfb89d7bbda5db56f733ee273efffc29a6ad8caaffaacca5b9f7af2416e67e');
INSERT INTO "hippo_state" VALUES(3,1,4,'7d07a3e631e5ae1e87488ec07cb45356e09f4322f26461518244aaedfe479c98');
INSERT INTO "hippo_state" VALUES(3,4,6,'cdb1ff3cf884afa1cff95e0bf9e9f0642a4296574b48da5a8dbeb9824736f590');
INSERT INTO "hippo_state" VALUES(4,4,6,'3057041505e33f095b3ea8ef0b064d91d656a0afc7a4ce1a76bab241723b259a');
INSERT INTO "hippo_state" VALUES(5,4,6,'be536ccee8f6b9ae75ff1196844acfe7dfa9ad539d6c3b0fd9abe38dcf711176');
INSERT INTO "hippo_state" VALUES(4,1,5,'0735fe4163f7aa5e706eeb7c62f592aa607bdca5a78a6c2360bf87f2f6d4a67d');
INSERT INTO "hippo_state" VALUES(4,5,6,'3137f7d9837d0f7499f7d7b991a881e04dd804082834032cdc7141716c2a8790');
INSERT INTO "hippo_state" VALUES(5,1,5,'baf52bf43b40c23d50ac507d16d2af1a03cc4a7046113fb9d1aa493a698697f0');
INSERT INTO "hippo_state" VALUES(5,5,6,'9b806778137175035b67b0f3b4ab694bbfe535c36a4cb07e0fac525757efdef3');
INSERT INTO "hippo_state" VALUES(3,5,6,'a8e2cf64d5f4d0d71dfc134bf1c80dbe87740e97ce8e38acef18701867925949');
INSERT INTO "hippo_state" VALUES(3,6,4,'907ab37828da271c886d2544ec2c1cd4c3bdba5694dabe8c716991dc6ff6ad76');
INSERT INTO "hippo_state" VALUES(3,7,4,'cee33f2e9b6ea3e218156f001f1b739229d949080c03a1ed9799cf97e43a2b2f');
INSERT INTO "hippo_state" VALUES(3,8,4,'e52d097cf4d6c80a5108e7bb530ca5fa7f5fe910068dd308a7cca9148559fe3a');
INSERT INTO "hippo_state" VALUES(4,6,4,'5936f8f892bda8c37d8ba8e05666d9db2d7127b172937a44501e8d78b2219070');
INSERT INTO "hippo_state" VALUES(4,7,4,'c34510328c6961cd8599c121751da78e526329f5e1c76ba1c3e5c154f58476c7');
INSERT INTO "hippo_state" VALUES(4,8,4,'eb244d2f83d1df153486bcedda8686e1a293513ab919dfb0bdb4f6d05081bc88');
INSERT INTO "hippo_state" VALUES(5,6,4,'9ff213c9244c06c86a6dd7ffff4a45fce142fa1d75b145be1e1e72701924c52e');
INSERT INTO "hippo_state" VALUES(5,7,4,'93c595d68e8e37395e4f4db70f929ce5117bb5824fdb94c6e423d50b9678a714');
INSERT INTO "hippo_state" VALUES(5,8,4,'f327eb8a3d24395a98424014c9d202acca9fb96ebb8130b88df4931287c5124a');
INSERT INTO "hippo_state" VALUES(6,1,2,'ea2b48c404daa167e6dc118876a7d7a92d88ec9249a46af9884a758edc9bf4f0');
INSERT INTO "hippo_state" VALUES(6,2,6,'b9c59c55c1fe0d3b17d09723229a3d23d418e2ac950f050ea6f03d1fec0410c2');
INSERT INTO "hippo_state" VALUES(7,1,2,'e060c5f98d5d966e5e4db455da049d5fb8355eb8ba0e808da4c5f63cf11d1cf8');
INSERT INTO "hippo_state" VALUES(7,2,6,'60daac999ac77fe06e6d1e1ac5d96bb03cd0f40959636f4a55bf2db0901e4358');
INSERT INTO "hippo_state" VALUES(7,3,3,'0fd2c7011dd20de0816990efd9cf1de67ec5fd116c6903cf827010ee904b7e08');
INSERT INTO "hippo_state" VALUES(7,4,6,'388a2c86da97c10344907323be57be5b491208f614d4bdfd4bbf443fb1806a31');
INSERT INTO "hippo_state" VALUES(6,3,3,'0fcb948aead3fda09fe443b148b569ae1ec390e158e87ccd5168e86b1f4015cb');
INSERT INTO "hippo_state" VALUES(6,4,6,'d7bd2605606570415dd8629f1c080da1643e5fa9086e7ff71c446a4e2461cca8');
INSERT INTO "hippo_state" VALUES(7,5,4,'0d8fb9a8e721ceff92d8d70dfff789f30310b29f9cd6173ba34cf1f7adedf8a8');
INSERT INTO "hippo_state" VALUES(7,6,6,'42beacd6bbc9a7b03bab4e513a7f895cd82902e32b4499079782cfaa430f2722');
INSERT INTO "hippo_state" VALUES(6,5,4,'a7db5c1729f4260b4c35968eb98e004c28281c79d4834942e92f50af1e9badfd');
INSERT INTO "hippo_state" VALUES(6,6,6,'c075d5dd50caba1ef5d6786cc6f0394f1b822a87110a5dd8397191b91290550c');
INSERT INTO "hippo_state" VALUES(7,7,5,'f822aafecd7ad221a5060c2f1a15f4d4eefd514591ffb070c685bafd8656d57d');
INSERT INTO "hippo_state" VALUES(7,8,6,'183c3ef6e4615b644a7a2f0f588fbe0758900341be72435f1c898583e975a853');
INSERT INTO "hippo_state" VALUES(6,7,5,'0680ec494bd71511e37dacf4b06249796c01c5589c76d051eacb524f0ad309a7');
INSERT INTO "hippo_state" VALUES(6,8,6,'75e2559ebb8db4b0d3625153b373727731938ea5f49e247bdcce22fee9f244bf');
INSERT INTO "hippo_state" VALUES(7,10,6,'5abc37a6a7fb36c40f1eec424d522c1cf9a8d5f27a3e9272885815d84150f1d9');
INSERT INTO "hippo_state" VALUES(6,10,6,'f76ed637dee1f1f8dff51df4599ae88b756e9cc8fe686085a514383a22bf7d33');
INSERT INTO "hippo_state" VALUES(6,12,6,'6bedde26aacbc1b956a8b73e9b59af07b3e2711ae1386670aba6c88df5315038');
INSERT INTO "hippo_state" VALUES(6,13,6,'b16b8bdf9fa5b2066862ce627f84cbd910d2eeb67d1764ab276bdd5a408624dc');
INSERT INTO "hippo_state" VALUES(7,12,6,'934c3ca92fb3ac0250536168168aa1968377aced17b48d09d68ca8416adc333d');
INSERT INTO "hippo_state" VALUES(7,13,6,'746d4acf4ece4bf504504100b69802f82b04bf9abc8638107cccf0c5d46ad3d8');
INSERT INTO "hippo_state" VALUES(8,1,3,'148b058bc0165a883d64c3ca04a86d2f4dd4c2f919f514aea59b55a20d58fe73');
INSERT INTO "hippo_state" VALUES(9,1,3,'9017406bdb34e44760000b45db36a86cd7641e058313270ff9985f59bb49e41f');
INSERT INTO "hippo_state" VALUES(8,2,3,'822c570fc6c7d3af2b51e7e8fe42e1f391560909a1e5009c157aac57bee39f04');
INSERT INTO "hippo_state" VALUES(9,2,3,'08b8ec5ba7c1cc826f182dc585a3e6d01f1a557a79719fa252f2c3f589703f4e');
INSERT INTO "hippo_state" VALUES(2,1,3,'9017406bdb34e44760000b45db36a86cd7641e058313270ff9985f59bb49e41f');
INSERT INTO "hippo_state" VALUES(2,2,3,'08b8ec5ba7c1cc826f182dc585a3e6d01f1a557a79719fa252f2c3f589703f4e');
INSERT INTO "hippo_state" VALUES(10,1,3,'2c89878e8b04ab0e5bc0e673e20cd8f5f44ef39bda139514feb6d56a1575121b');
INSERT INTO "hippo_state" VALUES(10,2,3,'6ce4e3ff5b4c9d028b52b6b581f4769575173cc05a817a1c1fd0fc121b90deb2');
INSERT INTO "hippo_state" VALUES(10,3,3,'c2dbb6f980b2195cb51b54f05709c086222934ea165981672026332c87c559ed');
INSERT INTO "hippo_state" VALUES(11,1,3,'148b058bc0165a883d64c3ca04a86d2f4dd4c2f919f514aea59b55a20d58fe73');
INSERT INTO "hippo_state" VALUES(11,2,3,'822c570fc6c7d3af2b51e7e8fe42e1f391560909a1e5009c157aac57bee39f04');
INSERT INTO "hippo_state" VALUES(11,3,3,'9ad48dec4d8870e0e7d129769c605c17fec579b75df85313be40703f32b43c21');
INSERT INTO "hippo_state" VALUES(12,1,3,'9017406bdb34e44760000b45db36a86cd7641e058313270ff9985f59bb49e41f');
INSERT INTO "hippo_state" VALUES(12,2,3,'08b8ec5ba7c1cc826f182dc585a3e6d01f1a557a79719fa252f2c3f589703f4e');
INSERT INTO "hippo_state" VALUES(12,3,3,'15c561d89a19a00232fcd4cd92c8b5b8fe356e6ba39da09b7e92000434897c3e');
CREATE TABLE hippo_step (
	"plan" BIGINT NOT NULL, 
	node BIGINT NOT NULL, 
	step BIGINT NOT NULL, 
	attempt BIGINT NOT NULL, 
	cause TEXT NOT NULL, 
	study BIGINT NOT NULL, 
	training TEXT NOT NULL, 
	seconds FLOAT NOT NULL, 
	PRIMARY KEY ("plan", node, step, attempt)
);
INSERT INTO "hippo_step" VALUES(1,1,1,0,'first',1,'{"slope": 2.1684074606012884}',1.16908000563853420317e-04);
INSERT INTO "hippo_step" VALUES(1,1,2,0,'first',1,'{"slope": 1.8679250176159752}',7.4169000072288326919e-05);
INSERT INTO "hippo_step" VALUES(1,1,2,1,'check',1,'{}',6.73716499477450270205e-04);
INSERT INTO "hippo_step" VALUES(1,1,1,1,'check',1,'{}',6.73716499477450270205e-04);
INSERT INTO "hippo_step" VALUES(1,2,1,0,'first',1,'{"slope": 2.1684074606012884}',8.75929999892832711338e-05);
INSERT INTO "hippo_step" VALUES(1,2,2,0,'first',1,'{"slope": 2.301606509736233}',4.93919997097691521048e-05);
INSERT INTO "hippo_step" VALUES(1,3,1,0,'first',1,'{"slope": 2.1684074606012884}',8.85549998201895505189e-05);
INSERT INTO "hippo_step" VALUES(1,3,2,0,'first',1,'{"slope": 2.0847657636761037}',6.10639999649720266461e-05);
INSERT INTO "hippo_step" VALUES(2,1,1,0,'first',2,'{"slope": 1.8204734693921991}',8.68719998834421858191e-05);
INSERT INTO "hippo_step" VALUES(2,1,2,0,'first',2,'{"slope": 1.0129464744554324}',7.91670008766232e-05);
INSERT INTO "hippo_step" VALUES(2,1,2,1,'check',2,'{}',6.15207501141412649303e-04);
INSERT INTO "hippo_step" VALUES(2,1,1,1,'check',2,'{}',6.15207501141412649303e-04);
INSERT INTO "hippo_step" VALUES(2,2,1,0,'first',2,'{"slope": 1.8204734693921991}',7.88070010457886382937e-05);
INSERT INTO "hippo_step" VALUES(2,2,2,0,'first',2,'{"slope": 1.3770411683338724}',3.6889001421513967216e-05);
INSERT INTO "hippo_step" VALUES(2,3,1,0,'first',2,'{"slope": 1.8204734693921991}',8.40669999888632446527e-05);
INSERT INTO "hippo_step" VALUES(2,3,2,0,'first',2,'{"slope": 1.1949938213946525}',4.55650006188079714775e-05);
INSERT INTO "hippo_step" VALUES(1,4,1,0,'first',5,'{"slope": 2.1684074606012884}',8.45880003907950595021e-05);
INSERT INTO "hippo_step" VALUES(1,4,2,0,'first',5,'{"slope": 1.8679250176159752}',1.08481999632203951478e-04);
INSERT INTO "hippo_step" VALUES(1,5,3,0,'first',5,'{"slope": 1.34201546402799}',9.48770011746091768145e-05);
INSERT INTO "hippo_step" VALUES(1,5,3,1,'check',5,'{}',7.31774000087170861661e-04);
INSERT INTO "hippo_step" VALUES(1,5,4,0,'first',5,'{"slope": 0.7770542221796604}',4.26189999416237697005e-05);
INSERT INTO "hippo_step" VALUES(1,5,4,1,'check',5,'{}',5.2536000112013425678e-04);
INSERT INTO "hippo_step" VALUES(1,5,5,0,'first',5,'{"slope": 1.2119303775259596}',8.77740003488725e-05);
INSERT INTO "hippo_step" VALUES(1,5,6,0,'first',5,'{"slope": 0.9085728529513986}',5.3560001106234267354e-05);
INSERT INTO "hippo_step" VALUES(1,5,7,0,'first',5,'{"slope": 1.0616997260836607}',4.15070007875328883528e-05);
INSERT INTO "hippo_step" VALUES(1,5,8,0,'first',5,'{"slope": 1.0554653390836866}',3.3952999729081057012e-05);
INSERT INTO "hippo_step" VALUES(1,6,1,0,'first',5,'{"slope": 2.1684074606012884}',8.39669992274139076471e-05);
INSERT INTO "hippo_step" VALUES(1,6,2,0,'first',5,'{"slope": 1.9763453906460395}',3.90019995393231511116e-05);
INSERT INTO "hippo_step" VALUES(1,6,3,0,'first',5,'{"slope": 1.4990607306732788}',3.34420001308899372816e-05);
INSERT INTO "hippo_step" VALUES(1,1,1,2,'evicted',5,'{"slope": 2.1684074606012884}',1.04205000752699561417e-04);
INSERT INTO "hippo_step" VALUES(1,1,2,2,'evicted',5,'{"slope": 1.8679250176159752}',5.2237001000321470201e-05);
INSERT INTO "hippo_step" VALUES(1,1,3,0,'first',5,'{"slope": 1.3420154640279898}',4.51440009783254936337e-05);
INSERT INTO "hippo_step" VALUES(1,1,4,0,'first',5,'{"slope": 0.5107605324678836}',4.2128000131924636662e-05);
INSERT INTO "hippo_step" VALUES(1,2,1,1,'evicted',5,'{"slope": 2.1684074606012884}',8.14119994174689e-05);
INSERT INTO "hippo_step" VALUES(1,2,2,1,'evicted',5,'{"slope": 2.301606509736233}',3.71690002793911844491e-05);
INSERT INTO "hippo_step" VALUES(1,2,3,0,'first',5,'{"slope": 2.028646979470856}',3.21500010613817721605e-05);
INSERT INTO "hippo_step" VALUES(1,2,4,0,'first',5,'{"slope": 1.3850306932188248}',3.17590001941425725817e-05);
INSERT INTO "hippo_step" VALUES(1,3,1,1,'evicted',5,'{"slope": 2.1684074606012884}',1.71208999745431356132e-04);
INSERT INTO "hippo_step" VALUES(1,3,2,1,'evicted',5,'{"slope": 2.0847657636761037}',3.17071000608848407864e-04);
INSERT INTO "hippo_step" VALUES(1,3,3,0,'first',5,'{"slope": 1.6658477387955193}',9.26329994399566203355e-05);
INSERT INTO "hippo_step" VALUES(1,3,4,0,'first',5,'{"slope": 0.8721170592481295}',3.41040013154270127415e-05);
INSERT INTO "hippo_step" VALUES(2,4,1,0,'first',6,'{"slope": 1.8204734693921991}',9.87530002021230757236e-05);
INSERT INTO "hippo_step" VALUES(2,4,2,0,'first',6,'{"slope": 0.17591240296894667}',6.14140008110553e-05);
INSERT INTO "hippo_step" VALUES(1,7,1,0,'first',6,'{"slope": 2.1684074606012884}',9.32139992073644e-05);
INSERT INTO "hippo_step" VALUES(1,7,2,0,'first',6,'{"slope": 0.783721287315331}',3.77509986719815060496e-05);
INSERT INTO "hippo_step" VALUES(2,4,3,0,'first',6,'{"slope": 0.19964804697841}',7.67930014262674376368e-05);
INSERT INTO "hippo_step" VALUES(2,4,4,0,'first',6,'{"slope": 0.2962732235604226}',3.5876000765711069107e-05);
INSERT INTO "hippo_step" VALUES(2,4,4,1,'check',6,'{}',8.47500999952899292111e-04);
INSERT INTO "hippo_step" VALUES(1,7,3,0,'first',6,'{"slope": 0.3073585788074452}',8.80440002219984307885e-05);
INSERT INTO "hippo_step" VALUES(1,7,4,0,'first',6,'{"slope": 0.5780884852738262}',8.42469999042805284261e-05);
INSERT INTO "hippo_step" VALUES(2,5,1,0,'first',6,'{"slope": 1.8204734693921991}',1.48356999488896690309e-04);
INSERT INTO "hippo_step" VALUES(2,5,2,0,'first',6,'{"slope": 0.2847570866985527}',4.33509994763881e-05);
INSERT INTO "hippo_step" VALUES(1,8,1,0,'first',6,'{"slope": 2.1684074606012884}',7.52500000089639797806e-05);
INSERT INTO "hippo_step" VALUES(1,8,2,0,'first',6,'{"slope": 1.00056203337546}',4.93920015287585556507e-05);
INSERT INTO "hippo_step" VALUES(2,6,1,0,'first',6,'{"slope": 1.8204734693921991}',1.36143999043270014226e-04);
INSERT INTO "hippo_step" VALUES(2,6,2,0,'first',6,'{"slope": 0.4668044336377725}',6.9949999669916e-05);
INSERT INTO "hippo_step" VALUES(1,9,1,0,'first',6,'{"slope": 2.1684074606012884}',0.000128478999613435);
INSERT INTO "hippo_step" VALUES(1,9,2,0,'first',6,'{"slope": 1.2174027794355886}',7.22950007912004366517e-05);
INSERT INTO "hippo_step" VALUES(2,7,1,0,'first',6,'{"slope": 1.8204734693921991}',6.78460000926861539483e-05);
INSERT INTO "hippo_step" VALUES(2,7,2,0,'first',6,'{"slope": 0.6488517805769927}',3.67289994755992665886e-05);
INSERT INTO "hippo_step" VALUES(1,10,1,0,'first',6,'{"slope": 2.1684074606012884}',6.63939990772632881999e-05);
INSERT INTO "hippo_step" VALUES(1,10,2,0,'first',6,'{"slope": 1.4342435254957175}',3.5225000829086638987e-05);
INSERT INTO "hippo_step" VALUES(2,7,3,0,'first',6,'{"slope": 0.26603935669580697}',7.01009994372725486755e-05);
INSERT INTO "hippo_step" VALUES(2,7,4,0,'first',6,'{"slope": 0.4132885434353006}',4.55649987998185679316e-05);
INSERT INTO "hippo_step" VALUES(1,10,3,0,'first',6,'{"slope": 0.8112518122163512}',6.26369983365293592214e-05);
INSERT INTO "hippo_step" VALUES(1,10,4,0,'first',6,'{"slope": 0.27385489401289265}',3.53460000042105093598e-05);
INSERT INTO "hippo_step" VALUES(2,8,1,0,'first',6,'{"slope": 1.8204734693921991}',7.97889988461975e-05);
INSERT INTO "hippo_step" VALUES(2,8,2,0,'first',6,'{"slope": 0.8308991275162125}',3.6227000236976891756e-05);
INSERT INTO "hippo_step" VALUES(1,11,1,0,'first',6,'{"slope": 2.1684074606012884}',7.07819999661296606063e-05);
INSERT INTO "hippo_step" VALUES(1,11,2,0,'first',6,'{"slope": 1.6510842715558463}',3.56060008925851434469e-05);
INSERT INTO "hippo_step" VALUES(2,3,1,1,'evicted',6,'{"slope": 1.8204734693921991}',9.43060003919527e-05);
INSERT INTO "hippo_step" VALUES(2,3,2,1,'evicted',6,'{"slope": 1.1949938213946525}',3.65479991160100325942e-05);
INSERT INTO "hippo_step" VALUES(2,3,3,0,'first',6,'{"slope": 0.8976085235230326}',3.18989987135864794254e-05);
INSERT INTO "hippo_step" VALUES(2,3,4,0,'first',6,'{"slope": 0.8597683039618846}',3.25509990943828597664e-05);
INSERT INTO "hippo_step" VALUES(2,9,1,0,'first',6,'{"slope": 1.8204734693921991}',1.16746999992756173014e-04);
INSERT INTO "hippo_step" VALUES(2,9,2,0,'first',6,'{"slope": 1.0129464744554326}',4.99130001117009669542e-05);
INSERT INTO "hippo_step" VALUES(2,10,3,0,'first',6,'{"slope": 0.6506759985261135}',1.14193000626983121037e-04);
INSERT INTO "hippo_step" VALUES(2,10,3,1,'check',6,'{}',8.42691000798367895185e-04);
INSERT INTO "hippo_step" VALUES(2,10,4,0,'first',6,'{"slope": 0.8045858496192188}',5.8098001318285241723e-05);
INSERT INTO "hippo_step" VALUES(2,10,5,0,'first',6,'{"slope": 1.2220253407422799}',1.07740999737870879471e-04);
INSERT INTO "hippo_step" VALUES(2,10,6,0,'first',6,'{"slope": 0.7296420188318229}',6.17950008745538070797e-05);
INSERT INTO "hippo_step" VALUES(2,10,7,0,'first',6,'{"slope": 0.5455514725110924}',5.31690002389950677752e-05);
INSERT INTO "hippo_step" VALUES(2,10,8,0,'first',6,'{"slope": 0.6166260104939352}',6.75060000503435730934e-05);
INSERT INTO "hippo_step" VALUES(2,11,1,0,'first',6,'{"slope": 1.8204734693921991}',1.00708000900340266525e-04);
INSERT INTO "hippo_step" VALUES(2,11,2,0,'first',6,'{"slope": 1.1039701479250426}',4.81500010209856554865e-05);
INSERT INTO "hippo_step" VALUES(2,11,3,0,'first',6,'{"slope": 0.7695910773510926}',4.42130003648344427347e-05);
INSERT INTO "hippo_step" VALUES(3,1,1,0,'first',7,'{"slope": 2.7900312967625474}',9.83130012173205614089e-05);
INSERT INTO "hippo_step" VALUES(3,1,2,0,'first',7,'{"slope": 1.947715775360734}',1.0448499961057677865e-04);
INSERT INTO "hippo_step" VALUES(3,1,2,1,'check',7,'{}',1.10864200087235076352e-03);
INSERT INTO "hippo_step" VALUES(3,1,1,1,'check',7,'{}',1.10864200087235076352e-03);
INSERT INTO "hippo_step" VALUES(3,2,3,0,'first',7,'{"slope": 1.214479865716606}',2.74531999821192584931e-04);
INSERT INTO "hippo_step" VALUES(3,2,3,1,'check',7,'{}',1.11818499863147735595e-03);
INSERT INTO "hippo_step" VALUES(3,2,4,0,'first',7,'{"slope": 0.7692247244424143}',5.76580005144933238625e-05);
INSERT INTO "hippo_step" VALUES(3,2,5,0,'first',7,'{"slope": 0.8496178021757814}',3.57869994331849738955e-05);
INSERT INTO "hippo_step" VALUES(3,2,6,0,'first',7,'{"slope": 0.8890471612377592}',3.40030001098057255148e-05);
INSERT INTO "hippo_step" VALUES(3,2,6,1,'check',7,'{}',5.78399000005447305738e-04);
INSERT INTO "hippo_step" VALUES(4,1,1,0,'first',7,'{"slope": 3.052415687658902}',1.04856000689323991537e-04);
INSERT INTO "hippo_step" VALUES(4,1,2,0,'first',7,'{"slope": 2.157956608520416}',7.11619995854562148451e-05);
INSERT INTO "hippo_step" VALUES(4,1,2,1,'check',7,'{}',8.15775999399193096905e-04);
INSERT INTO "hippo_step" VALUES(4,1,1,1,'check',7,'{}',8.15775999399193096905e-04);
INSERT INTO "hippo_step" VALUES(4,2,3,0,'first',7,'{"slope": 1.2398720270953068}',1.12099000034504570066e-04);
INSERT INTO "hippo_step" VALUES(4,2,3,1,'check',7,'{}',0.000982051000391948);
INSERT INTO "hippo_step" VALUES(4,2,4,0,'first',7,'{"slope": 1.174541855544692}',5.03640003444161266088e-05);
INSERT INTO "hippo_step" VALUES(4,2,5,0,'first',7,'{"slope": 0.9734936107542089}',3.67390002793399617075e-05);
INSERT INTO "hippo_step" VALUES(4,2,6,0,'first',7,'{"slope": 1.0038806833528109}',3.28710011672228574752e-05);
INSERT INTO "hippo_step" VALUES(4,2,6,1,'check',7,'{}',6.09897000686032697558e-04);
INSERT INTO "hippo_step" VALUES(5,1,1,0,'first',7,'{"slope": 1.9163847102518394}',8.55899997986853122711e-05);
INSERT INTO "hippo_step" VALUES(5,1,2,0,'first',7,'{"slope": 1.6931119550395772}',6.03129992668982595205e-05);
INSERT INTO "hippo_step" VALUES(5,1,2,1,'check',7,'{}',6.70835499477107077836e-04);
INSERT INTO "hippo_step" VALUES(5,1,1,1,'check',7,'{}',6.70835499477107077836e-04);
INSERT INTO "hippo_step" VALUES(5,2,3,0,'first',7,'{"slope": 1.023953754646024}',1.03863001641002483665e-04);
INSERT INTO "hippo_step" VALUES(5,2,3,1,'check',7,'{}',6.1696000193478539586e-04);
INSERT INTO "hippo_step" VALUES(5,2,4,0,'first',7,'{"slope": 0.8705306691782584}',6.62140009808354079723e-05);
INSERT INTO "hippo_step" VALUES(5,2,5,0,'first',7,'{"slope": 0.6712956490741686}',3.73189996025757864117e-05);
INSERT INTO "hippo_step" VALUES(5,2,6,0,'first',7,'{"slope": 0.5026916663445289}',3.45539992849808186292e-05);
INSERT INTO "hippo_step" VALUES(5,2,6,1,'check',7,'{}',5.68791998375672847032e-04);
INSERT INTO "hippo_step" VALUES(3,1,3,0,'first',7,'{"slope": 1.214479865716606}',6.62340007693274e-05);
INSERT INTO "hippo_step" VALUES(3,3,4,0,'first',7,'{"slope": 0.5870527445849235}',7.16030008334200829267e-05);
INSERT INTO "hippo_step" VALUES(3,3,5,0,'first',7,'{"slope": 0.6947716192969142}',3.44639993272721767425e-05);
INSERT INTO "hippo_step" VALUES(3,3,6,0,'first',7,'{"slope": 0.757427905790722}',3.21909992635482922196e-05);
INSERT INTO "hippo_step" VALUES(4,1,3,0,'first',7,'{"slope": 1.2398720270953068}',7.60210004955297335982e-05);
INSERT INTO "hippo_step" VALUES(4,3,4,0,'first',7,'{"slope": 0.9909663274832055}',7.3546998464735224843e-05);
INSERT INTO "hippo_step" VALUES(4,3,5,0,'first',7,'{"slope": 0.8174544119019451}',3.53769992216257378458e-05);
INSERT INTO "hippo_step" VALUES(4,3,6,0,'first',7,'{"slope": 0.8712473643283868}',3.28520000039134174585e-05);
INSERT INTO "hippo_step" VALUES(5,1,3,0,'first',7,'{"slope": 1.023953754646024}',6.14540003880392760038e-05);
INSERT INTO "hippo_step" VALUES(5,3,4,0,'first',7,'{"slope": 0.7169376059813548}',6.83580001350492238998e-05);
INSERT INTO "hippo_step" VALUES(5,3,5,0,'first',7,'{"slope": 0.5407415453568005}',3.34129999828292056918e-05);
INSERT INTO "hippo_step" VALUES(5,3,6,0,'first',7,'{"slope": 0.391720678184766}',3.12689990096259862184e-05);
INSERT INTO "hippo_step" VALUES(3,1,3,1,'not kept',7,'{"slope": 1.214479865716606}',7.41280000511324e-05);
INSERT INTO "hippo_step" VALUES(3,1,4,0,'first',7,'{"slope": 0.5870527445849235}',6.14239997958066e-05);
INSERT INTO "hippo_step" VALUES(3,4,5,0,'first',7,'{"slope": 0.6067137076091758}',8.81149990163976326584e-05);
INSERT INTO "hippo_step" VALUES(3,4,6,0,'first',7,'{"slope": 0.6825786808561444}',3.66579988622106611728e-05);
INSERT INTO "hippo_step" VALUES(4,1,3,1,'not kept',7,'{"slope": 1.2398720270953068}',6.58829994790721684694e-05);
INSERT INTO "hippo_step" VALUES(4,1,4,0,'first',7,'{"slope": 0.9909663274832055}',4.16679995396407321095e-05);
INSERT INTO "hippo_step" VALUES(4,4,5,0,'first',7,'{"slope": 0.6688094627794644}',6.80470002407673746347e-05);
INSERT INTO "hippo_step" VALUES(4,4,6,0,'first',7,'{"slope": 0.744899157574278}',3.27819998346967622637e-05);
INSERT INTO "hippo_step" VALUES(5,1,3,1,'not kept',7,'{"slope": 1.023953754646024}',7.23049997759517282247e-05);
INSERT INTO "hippo_step" VALUES(5,1,4,0,'first',7,'{"slope": 0.7169376059813548}',3.59470013790996745228e-05);
INSERT INTO "hippo_step" VALUES(5,4,5,0,'first',7,'{"slope": 0.4332009044595973}',7.49000009818701073527e-05);
INSERT INTO "hippo_step" VALUES(5,4,6,0,'first',7,'{"slope": 0.30031113342214333}',3.32020008499966934323e-05);
INSERT INTO "hippo_step" VALUES(4,1,3,2,'not kept',7,'{"slope": 1.2398720270953068}',7.78150006226496770977e-05);
INSERT INTO "hippo_step" VALUES(4,1,4,1,'not kept',7,'{"slope": 0.9909663274832055}',5.05040006828494369983e-05);
INSERT INTO "hippo_step" VALUES(4,1,5,0,'first',7,'{"slope": 0.6688094627794644}',3.54860003426438197493e-05);
INSERT INTO "hippo_step" VALUES(4,5,6,0,'first',7,'{"slope": 0.6445777381573585}',7.86169985076412558555e-05);
INSERT INTO "hippo_step" VALUES(5,1,3,2,'not kept',7,'{"slope": 1.023953754646024}',6.19050006207544356584e-05);
INSERT INTO "hippo_step" VALUES(5,1,4,1,'not kept',7,'{"slope": 0.7169376059813548}',3.58369998139096423983e-05);
INSERT INTO "hippo_step" VALUES(5,1,5,0,'first',7,'{"slope": 0.4332009044595973}',3.19089995173271745443e-05);
INSERT INTO "hippo_step" VALUES(5,5,6,0,'first',7,'{"slope": 0.24288183436809763}',7.51099996705306693911e-05);
INSERT INTO "hippo_step" VALUES(3,1,5,0,'first',7,'{"slope": 0.6067137076091758}',6.17650002823211252689e-05);
INSERT INTO "hippo_step" VALUES(3,5,6,0,'first',7,'{"slope": 0.591571624714768}',8.66820009832736104726e-05);
INSERT INTO "hippo_step" VALUES(3,6,1,0,'first',7,'{"slope": 2.7900312967625474}',9.8624001111602410674e-05);
INSERT INTO "hippo_step" VALUES(3,6,2,0,'first',7,'{"slope": 1.947715775360734}',4.0484999772161245346e-05);
INSERT INTO "hippo_step" VALUES(3,6,3,0,'first',7,'{"slope": 1.2144798657166056}',3.29609993059420958161e-05);
INSERT INTO "hippo_step" VALUES(3,6,4,0,'first',7,'{"slope": 0.5870527445849232}',3.1689000024925917387e-05);
INSERT INTO "hippo_step" VALUES(3,7,1,0,'first',7,'{"slope": 2.7900312967625474}',6.93090005370322614908e-05);
INSERT INTO "hippo_step" VALUES(3,7,2,0,'first',7,'{"slope": 2.5057220347132434}',3.96539999201195314526e-05);
INSERT INTO "hippo_step" VALUES(3,7,3,0,'first',7,'{"slope": 2.106228654206011}',4.04459988203598186373e-05);
INSERT INTO "hippo_step" VALUES(3,7,4,0,'first',7,'{"slope": 1.6325226273687092}',3.21000006806571036577e-05);
INSERT INTO "hippo_step" VALUES(3,8,1,0,'first',7,'{"slope": 2.7900312967625474}',8.06899988674558699131e-05);
INSERT INTO "hippo_step" VALUES(3,8,2,0,'first',7,'{"slope": 2.2267189050369884}',3.73700004274724051356e-05);
INSERT INTO "hippo_step" VALUES(3,8,3,0,'first',7,'{"slope": 1.632453946993683}',3.19190003210678696632e-05);
INSERT INTO "hippo_step" VALUES(3,8,4,0,'first',7,'{"slope": 1.0428799961782456}',3.21999996231170371174e-05);
INSERT INTO "hippo_step" VALUES(4,6,1,0,'first',7,'{"slope": 3.052415687658902}',6.68339998810552e-05);
INSERT INTO "hippo_step" VALUES(4,6,2,0,'first',7,'{"slope": 2.157956608520416}',3.50860009348252788186e-05);
INSERT INTO "hippo_step" VALUES(4,6,3,0,'first',7,'{"slope": 1.2398720270953068}',3.11780004267348e-05);
INSERT INTO "hippo_step" VALUES(4,6,4,0,'first',7,'{"slope": 0.9909663274832052}',3.05270004901103675365e-05);
INSERT INTO "hippo_step" VALUES(4,7,1,0,'first',7,'{"slope": 3.052415687658902}',8.18630014691734686493e-05);
INSERT INTO "hippo_step" VALUES(4,7,2,0,'first',7,'{"slope": 2.7684397460521963}',3.85120001737959682941e-05);
INSERT INTO "hippo_step" VALUES(4,7,3,0,'first',7,'{"slope": 2.2048629992259308}',3.25910004903562366962e-05);
INSERT INTO "hippo_step" VALUES(4,7,4,0,'first',7,'{"slope": 2.1186572291662715}',4.58049998997012153267e-05);
INSERT INTO "hippo_step" VALUES(4,8,1,0,'first',7,'{"slope": 3.052415687658902}',9.41950002015801146626e-05);
INSERT INTO "hippo_step" VALUES(4,8,2,0,'first',7,'{"slope": 2.463198177286306}',3.87719992431812e-05);
INSERT INTO "hippo_step" VALUES(4,8,3,0,'first',7,'{"slope": 1.683825769607999}',3.36229986714897677302e-05);
INSERT INTO "hippo_step" VALUES(4,8,4,0,'first',7,'{"slope": 1.481341145549333}',3.21099996654083952307e-05);
INSERT INTO "hippo_step" VALUES(5,6,1,0,'first',7,'{"slope": 1.9163847102518394}',1.07208999907015822827e-04);
INSERT INTO "hippo_step" VALUES(5,6,2,0,'first',7,'{"slope": 1.6931119550395772}',4.29200008511543273925e-05);
INSERT INTO "hippo_step" VALUES(5,6,3,0,'first',7,'{"slope": 1.0239537546460238}',3.63579983968520537018e-05);
INSERT INTO "hippo_step" VALUES(5,6,4,0,'first',7,'{"slope": 0.7169376059813546}',3.4624999898369424045e-05);
INSERT INTO "hippo_step" VALUES(5,7,1,0,'first',7,'{"slope": 1.9163847102518394}',9.4746999820927157998e-05);
INSERT INTO "hippo_step" VALUES(5,7,2,0,'first',7,'{"slope": 2.076388897089945}',5.62549994356231763958e-05);
INSERT INTO "hippo_step" VALUES(5,7,3,0,'first',7,'{"slope": 1.7075253934992702}',3.54570001945830881595e-05);
INSERT INTO "hippo_step" VALUES(5,7,4,0,'first',7,'{"slope": 1.5369428318784812}',3.28320002154214307665e-05);
INSERT INTO "hippo_step" VALUES(5,8,1,0,'first',7,'{"slope": 1.9163847102518394}',1.092940001399256289e-04);
INSERT INTO "hippo_step" VALUES(5,8,2,0,'first',7,'{"slope": 1.8847504260647612}',3.69090012100059539079e-05);
INSERT INTO "hippo_step" VALUES(5,8,3,0,'first',7,'{"slope": 1.3465757269701288}',3.2410000130767e-05);
INSERT INTO "hippo_step" VALUES(5,8,4,0,'first',7,'{"slope": 1.0774305593052411}',3.09080005536088719964e-05);
INSERT INTO "hippo_step" VALUES(6,1,1,0,'first',8,'{"slope": 2.1684074606012884}',1.37847000587498769164e-04);
INSERT INTO "hippo_step" VALUES(6,1,2,0,'first',8,'{"slope": 1.8679250176159752}',5.52330002392409369349e-05);
INSERT INTO "hippo_step" VALUES(6,1,2,1,'check',8,'{}',5.49685500118357595056e-04);
INSERT INTO "hippo_step" VALUES(6,1,1,1,'check',8,'{}',5.49685500118357595056e-04);
INSERT INTO "hippo_step" VALUES(6,2,3,0,'first',8,'{"slope": 1.34201546402799}',1.65309000294655561447e-04);
INSERT INTO "hippo_step" VALUES(6,2,3,1,'check',8,'{}',6.50062000204343348741e-04);
INSERT INTO "hippo_step" VALUES(6,2,4,0,'first',8,'{"slope": 0.6407135808954549}',4.2800000301213003695e-05);
INSERT INTO "hippo_step" VALUES(6,2,5,0,'first',8,'{"slope": 1.0027943257728258}',3.46649994753534e-05);
INSERT INTO "hippo_step" VALUES(6,2,6,0,'first',8,'{"slope": 0.5853755636581198}',3.29409995174501091241e-05);
INSERT INTO "hippo_step" VALUES(6,2,6,1,'check',8,'{}',5.52769997739233076572e-04);
INSERT INTO "hippo_step" VALUES(7,1,1,0,'first',8,'{"slope": 1.8204734693921991}',2.04550999114871956408e-04);
INSERT INTO "hippo_step" VALUES(7,1,2,0,'first',8,'{"slope": 1.0129464744554326}',7.21849992260104e-05);
INSERT INTO "hippo_step" VALUES(7,1,2,1,'check',8,'{}',6.39121999483904801309e-04);
INSERT INTO "hippo_step" VALUES(7,1,1,1,'check',8,'{}',6.39121999483904801309e-04);
INSERT INTO "hippo_step" VALUES(7,2,3,0,'first',8,'{"slope": 0.6506759985261135}',2.03078998310957103967e-04);
INSERT INTO "hippo_step" VALUES(7,2,3,1,'check',8,'{}',8.43022000481141731142e-04);
INSERT INTO "hippo_step" VALUES(7,2,4,0,'first',8,'{"slope": 0.7401767771860555}',1.25284001114778220653e-04);
INSERT INTO "hippo_step" VALUES(7,2,5,0,'first',8,'{"slope": 1.0691183361208285}',5.9451000197441317141e-05);
INSERT INTO "hippo_step" VALUES(7,2,6,0,'first',8,'{"slope": 0.49019393919559034}',7.94480001786723732948e-05);
INSERT INTO "hippo_step" VALUES(7,2,6,1,'check',8,'{}',1.0103449985763290897e-03);
INSERT INTO "hippo_step" VALUES(7,3,1,0,'first',8,'{"slope": 1.8204734693921991}',1.07620999187929555773e-04);
INSERT INTO "hippo_step" VALUES(7,3,2,0,'first',8,'{"slope": 1.0129464744554326}',3.89429987990297377109e-05);
INSERT INTO "hippo_step" VALUES(7,3,3,0,'first',8,'{"slope": 0.6506759985261135}',3.20600011036731302738e-05);
INSERT INTO "hippo_step" VALUES(7,4,4,0,'first',8,'{"slope": 0.6596654366446015}',8.09110006230184808373e-05);
INSERT INTO "hippo_step" VALUES(7,4,5,0,'first',8,'{"slope": 0.9861571463087493}',3.56660002580611035227e-05);
INSERT INTO "hippo_step" VALUES(7,4,6,0,'first',8,'{"slope": 0.43202449565438983}',3.25500004692003130912e-05);
INSERT INTO "hippo_step" VALUES(6,3,1,0,'first',8,'{"slope": 2.1684074606012884}',1.12931000330718234181e-04);
INSERT INTO "hippo_step" VALUES(6,3,2,0,'first',8,'{"slope": 1.8679250176159752}',5.32499998371349647641e-05);
INSERT INTO "hippo_step" VALUES(6,3,3,0,'first',8,'{"slope": 1.34201546402799}',3.73300008504884317517e-05);
INSERT INTO "hippo_step" VALUES(6,4,4,0,'first',8,'{"slope": 0.5107605324678837}',8.69520008563995361328e-05);
INSERT INTO "hippo_step" VALUES(6,4,5,0,'first',8,'{"slope": 0.8579323944083574}',3.70589987142011523246e-05);
INSERT INTO "hippo_step" VALUES(6,4,6,0,'first',8,'{"slope": 0.46224292199832184}',3.24809989251662045717e-05);
INSERT INTO "hippo_step" VALUES(7,5,1,0,'first',8,'{"slope": 1.8204734693921991}',1.12449999505770392715e-04);
INSERT INTO "hippo_step" VALUES(7,5,2,0,'first',8,'{"slope": 1.0129464744554326}',3.75399995391489937901e-05);
INSERT INTO "hippo_step" VALUES(7,5,3,0,'first',8,'{"slope": 0.6506759985261135}',3.20489998557604849338e-05);
INSERT INTO "hippo_step" VALUES(7,5,4,0,'first',8,'{"slope": 0.6596654366446015}',3.40839997079456225037e-05);
INSERT INTO "hippo_step" VALUES(7,6,5,0,'first',8,'{"slope": 0.9043369582843224}',8.20130007923580706119e-05);
INSERT INTO "hippo_step" VALUES(7,6,6,0,'first',8,'{"slope": 0.3479171524822031}',3.4323998988838866353e-05);
INSERT INTO "hippo_step" VALUES(6,5,1,0,'first',8,'{"slope": 2.1684074606012884}',8.05500003480119630694e-05);
INSERT INTO "hippo_step" VALUES(6,5,2,0,'first',8,'{"slope": 1.8679250176159752}',4.02149998990353196859e-05);
INSERT INTO "hippo_step" VALUES(6,5,3,0,'first',8,'{"slope": 1.34201546402799}',3.54160001734271645545e-05);
INSERT INTO "hippo_step" VALUES(6,5,4,0,'first',8,'{"slope": 0.5107605324678837}',5.51830016775056719779e-05);
INSERT INTO "hippo_step" VALUES(6,6,5,0,'first',8,'{"slope": 0.7873892275148278}',1.33528999867849051952e-04);
INSERT INTO "hippo_step" VALUES(6,6,6,0,'first',8,'{"slope": 0.40228123013882156}',5.01630001963349059224e-05);
INSERT INTO "hippo_step" VALUES(7,7,1,0,'first',8,'{"slope": 1.8204734693921991}',9.16409990168176591396e-05);
INSERT INTO "hippo_step" VALUES(7,7,2,0,'first',8,'{"slope": 1.0129464744554326}',4.152799920120742172e-05);
INSERT INTO "hippo_step" VALUES(7,7,3,0,'first',8,'{"slope": 0.6506759985261135}',4.85000000480795279145e-05);
INSERT INTO "hippo_step" VALUES(7,7,4,0,'first',8,'{"slope": 0.6596654366446015}',3.3292000807705335319e-05);
INSERT INTO "hippo_step" VALUES(7,7,5,0,'first',8,'{"slope": 0.9043369582843224}',3.03869983326876536011e-05);
INSERT INTO "hippo_step" VALUES(7,8,6,0,'first',8,'{"slope": 0.25716356257647643}',9.36839987843995913863e-05);
INSERT INTO "hippo_step" VALUES(6,7,1,0,'first',8,'{"slope": 2.1684074606012884}',1.1729899961210321635e-04);
INSERT INTO "hippo_step" VALUES(6,7,2,0,'first',8,'{"slope": 1.8679250176159752}',7.56410008762031793594e-05);
INSERT INTO "hippo_step" VALUES(6,7,3,0,'first',8,'{"slope": 1.34201546402799}',3.58570014213910326361e-05);
INSERT INTO "hippo_step" VALUES(6,7,4,0,'first',8,'{"slope": 0.5107605324678837}',3.1016999855637550354e-05);
INSERT INTO "hippo_step" VALUES(6,7,5,0,'first',8,'{"slope": 0.7873892275148278}',3.05570010823430493474e-05);
INSERT INTO "hippo_step" VALUES(6,8,6,0,'first',8,'{"slope": 0.2841728460115974}',7.95590003690449520945e-05);
INSERT INTO "hippo_step" VALUES(7,9,1,0,'first',8,'{"slope": 1.8204734693921991}',8.84750006662216e-05);
INSERT INTO "hippo_step" VALUES(7,9,2,0,'first',8,'{"slope": 1.0129464744554326}',3.64589996024733409285e-05);
INSERT INTO "hippo_step" VALUES(7,10,3,0,'first',8,'{"slope": 0.6506759985261135}',6.61029989714734256267e-05);
INSERT INTO "hippo_step" VALUES(7,10,4,0,'first',8,'{"slope": 0.8045858496192188}',3.28209989675087854266e-05);
INSERT INTO "hippo_step" VALUES(7,10,5,0,'first',8,'{"slope": 1.2220253407422799}',3.1038000088301487267e-05);
INSERT INTO "hippo_step" VALUES(7,10,6,0,'first',8,'{"slope": 0.7296420188318229}',3.13489999825833365321e-05);
INSERT INTO "hippo_step" VALUES(6,9,1,0,'first',8,'{"slope": 2.1684074606012884}',8.21530011307913810014e-05);
INSERT INTO "hippo_step" VALUES(6,9,2,0,'first',8,'{"slope": 1.8679250176159752}',4.28999992436729371547e-05);
INSERT INTO "hippo_step" VALUES(6,10,3,0,'first',8,'{"slope": 1.34201546402799}',9.73520000115968286991e-05);
INSERT INTO "hippo_step" VALUES(6,10,4,0,'first',8,'{"slope": 0.7770542221796604}',3.84720005968119949102e-05);
INSERT INTO "hippo_step" VALUES(6,10,5,0,'first',8,'{"slope": 1.2119303775259596}',6.12240000918973237276e-05);
INSERT INTO "hippo_step" VALUES(6,10,6,0,'first',8,'{"slope": 0.9085728529513986}',3.26110002788482233881e-05);
INSERT INTO "hippo_step" VALUES(6,11,1,0,'first',8,'{"slope": 2.1684074606012884}',1.92448998859617859125e-04);
INSERT INTO "hippo_step" VALUES(6,11,2,0,'first',8,'{"slope": 1.8679250176159752}',1.08131998786120675504e-04);
INSERT INTO "hippo_step" VALUES(6,11,3,0,'first',8,'{"slope": 1.34201546402799}',4.24489990109577775001e-05);
INSERT INTO "hippo_step" VALUES(6,11,4,0,'first',8,'{"slope": 0.5107605324678837}',7.82560000516241416335e-05);
INSERT INTO "hippo_step" VALUES(6,12,5,0,'first',8,'{"slope": 0.7873892275148278}',7.99689987616147845983e-05);
INSERT INTO "hippo_step" VALUES(6,12,6,0,'first',8,'{"slope": 0.49676793744060094}',6.8307999754324555397e-05);
INSERT INTO "hippo_step" VALUES(6,13,1,0,'first',8,'{"slope": 2.1684074606012884}',1.04524000562378205358e-04);
INSERT INTO "hippo_step" VALUES(6,13,2,0,'first',8,'{"slope": 1.8679250176159752}',3.95440001739189e-05);
INSERT INTO "hippo_step" VALUES(6,13,3,0,'first',8,'{"slope": 1.34201546402799}',3.41239992849295958876e-05);
INSERT INTO "hippo_step" VALUES(6,13,4,0,'first',8,'{"slope": 0.5107605324678837}',3.12379997922107577323e-05);
INSERT INTO "hippo_step" VALUES(6,13,5,0,'first',8,'{"slope": 0.7873892275148278}',3.18599995807744562625e-05);
INSERT INTO "hippo_step" VALUES(6,13,6,0,'first',8,'{"slope": 0.2841728460115974}',3.11690000671660527586e-05);
INSERT INTO "hippo_step" VALUES(7,11,1,0,'first',8,'{"slope": 1.8204734693921991}',7.91970014688558876514e-05);
INSERT INTO "hippo_step" VALUES(7,11,2,0,'first',8,'{"slope": 1.0129464744554326}',3.78510012524202466011e-05);
INSERT INTO "hippo_step" VALUES(7,11,3,0,'first',8,'{"slope": 0.6506759985261135}',3.28010009980062e-05);
INSERT INTO "hippo_step" VALUES(7,11,4,0,'first',8,'{"slope": 0.6596654366446015}',3.20400013151811435818e-05);
INSERT INTO "hippo_step" VALUES(7,12,5,0,'first',8,'{"slope": 0.9043369582843224}',6.53119986964156851172e-05);
INSERT INTO "hippo_step" VALUES(7,12,6,0,'first',8,'{"slope": 0.4205200244067845}',3.31519986502826213836e-05);
INSERT INTO "hippo_step" VALUES(7,13,1,0,'first',8,'{"slope": 1.8204734693921991}',1.39539999508997425436e-04);
INSERT INTO "hippo_step" VALUES(7,13,2,0,'first',8,'{"slope": 1.0129464744554326}',3.86119991162559e-05);
INSERT INTO "hippo_step" VALUES(7,13,3,0,'first',8,'{"slope": 0.6506759985261135}',3.30809998558834195137e-05);
INSERT INTO "hippo_step" VALUES(7,13,4,0,'first',8,'{"slope": 0.6596654366446015}',5.53439986106241121888e-05);
INSERT INTO "hippo_step" VALUES(7,13,5,0,'first',8,'{"slope": 0.9043369582843224}',7.22849999874597415328e-05);
INSERT INTO "hippo_step" VALUES(7,13,6,0,'first',8,'{"slope": 0.25716356257647643}',5.14059993292903527617e-05);
INSERT INTO "hippo_step" VALUES(8,1,1,0,'first',9,'{"slope": 2.1684074606012884}',9.78930002020206302404e-05);
INSERT INTO "hippo_step" VALUES(8,1,2,0,'first',9,'{"slope": 1.8679250176159752}',8.52389985084300860762e-05);
INSERT INTO "hippo_step" VALUES(8,1,2,1,'check',9,'{}',7.97216001046763267368e-04);
INSERT INTO "hippo_step" VALUES(8,1,1,1,'check',9,'{}',7.97216001046763267368e-04);
INSERT INTO "hippo_step" VALUES(8,1,3,0,'first',9,'{"slope": 1.3420154640279898}',8.33760004752548411488e-05);
INSERT INTO "hippo_step" VALUES(8,1,3,1,'check',9,'{}',6.9687899849668610841e-04);
INSERT INTO "hippo_step" VALUES(9,1,1,0,'first',9,'{"slope": 1.8204734693921991}',8.54190002428367733955e-05);
INSERT INTO "hippo_step" VALUES(9,1,2,0,'first',9,'{"slope": 1.0129464744554324}',4.99529996886849403381e-05);
INSERT INTO "hippo_step" VALUES(9,1,2,1,'check',9,'{}',2.65768450026371283456e-03);
INSERT INTO "hippo_step" VALUES(9,1,1,1,'check',9,'{}',2.65768450026371283456e-03);
INSERT INTO "hippo_step" VALUES(9,1,3,0,'first',9,'{"slope": 0.6506759985261132}',3.97249987145187333226e-05);
INSERT INTO "hippo_step" VALUES(9,1,3,1,'check',9,'{}',5.17524998940643854439e-04);
INSERT INTO "hippo_step" VALUES(8,2,1,0,'first',9,'{"slope": 2.1684074606012884}',9.6750998636707663536e-05);
INSERT INTO "hippo_step" VALUES(8,2,2,0,'first',9,'{"slope": 2.301606509736233}',6.48610002826899290084e-05);
INSERT INTO "hippo_step" VALUES(8,2,3,0,'first',9,'{"slope": 2.028646979470856}',3.74000010197050869464e-05);
INSERT INTO "hippo_step" VALUES(8,3,1,0,'first',9,'{"slope": 2.1684074606012884}',1.23861000247416086494e-04);
INSERT INTO "hippo_step" VALUES(9,2,1,0,'first',9,'{"slope": 1.8204734693921991}',1.27938999867183156311e-04);
INSERT INTO "hippo_step" VALUES(9,2,2,0,'first',9,'{"slope": 1.3770411683338724}',7.0231000790954567492e-05);
INSERT INTO "hippo_step" VALUES(9,2,3,0,'first',9,'{"slope": 1.180950517907796}',4.08460000471677631139e-05);
INSERT INTO "hippo_step" VALUES(9,3,1,0,'first',9,'{"slope": 1.8204734693921991}',1.09493999843834899365e-04);
INSERT INTO "hippo_step" VALUES(2,1,1,2,'evicted',12,'{"slope": 1.8204734693921991}',8.34660004329634830355e-05);
INSERT INTO "hippo_step" VALUES(2,1,2,2,'evicted',12,'{"slope": 1.0129464744554324}',7.05620004737284e-05);
INSERT INTO "hippo_step" VALUES(2,1,3,0,'first',12,'{"slope": 0.6506759985261132}',6.77160005579935386776e-05);
INSERT INTO "hippo_step" VALUES(2,2,1,1,'evicted',12,'{"slope": 1.8204734693921991}',7.40979994588997215032e-05);
INSERT INTO "hippo_step" VALUES(2,2,2,1,'evicted',12,'{"slope": 1.3770411683338724}',3.83209990104660391807e-05);
INSERT INTO "hippo_step" VALUES(2,2,3,0,'first',12,'{"slope": 1.180950517907796}',3.24200009345077e-05);
INSERT INTO "hippo_step" VALUES(10,1,1,0,'first',13,'{"slope": 2.4312602861125443}',1.07821000710828229784e-04);
INSERT INTO "hippo_step" VALUES(10,1,2,0,'first',13,'{"slope": 1.7388022736157291}',7.14029993105214089155e-05);
INSERT INTO "hippo_step" VALUES(10,1,2,1,'check',13,'{}',0.000595730999521038);
INSERT INTO "hippo_step" VALUES(10,1,1,1,'check',13,'{}',0.000595730999521038);
INSERT INTO "hippo_step" VALUES(10,1,3,0,'first',13,'{"slope": 0.9041005220283093}',7.1864000346977263689e-05);
INSERT INTO "hippo_step" VALUES(10,1,3,1,'check',13,'{}',5.76163998630363494157e-04);
INSERT INTO "hippo_step" VALUES(10,2,1,0,'first',13,'{"slope": 2.4312602861125443}',1.00477000160026364028e-04);
INSERT INTO "hippo_step" VALUES(10,2,2,0,'first',13,'{"slope": 2.2250543308382382}',3.89429987990297377109e-05);
INSERT INTO "hippo_step" VALUES(10,2,3,0,'first',13,'{"slope": 1.5593042028278457}',3.30620005115633830428e-05);
INSERT INTO "hippo_step" VALUES(10,3,1,0,'first',13,'{"slope": 2.4312602861125443}',8.06410007498925551772e-05);
INSERT INTO "hippo_step" VALUES(10,3,2,0,'first',13,'{"slope": 1.9819283022269838}',3.58770012098830193281e-05);
INSERT INTO "hippo_step" VALUES(10,3,3,0,'first',13,'{"slope": 1.1422979468550178}',3.15590004902333e-05);
INSERT INTO "hippo_step" VALUES(11,1,1,0,'first',14,'{"slope": 2.1684074606012884}',1.17538998892996460199e-04);
INSERT INTO "hippo_step" VALUES(11,1,2,0,'first',14,'{"slope": 1.8679250176159752}',8.03900002210866659879e-05);
INSERT INTO "hippo_step" VALUES(11,1,2,1,'check',14,'{}',6.72854500407993327826e-04);
INSERT INTO "hippo_step" VALUES(11,1,1,1,'check',14,'{}',6.72854500407993327826e-04);
INSERT INTO "hippo_step" VALUES(11,1,3,0,'first',14,'{"slope": 1.3420154640279898}',1.32035998831270262598e-04);
INSERT INTO "hippo_step" VALUES(11,1,3,1,'check',14,'{}',0.000853671999720973);
INSERT INTO "hippo_step" VALUES(11,2,1,0,'first',14,'{"slope": 2.1684074606012884}',7.48500006011454388499e-05);
INSERT INTO "hippo_step" VALUES(11,2,2,0,'first',14,'{"slope": 2.301606509736233}',3.63069993909448385238e-05);
INSERT INTO "hippo_step" VALUES(11,2,3,0,'first',14,'{"slope": 2.028646979470856}',3.25500004692003130912e-05);
INSERT INTO "hippo_step" VALUES(11,3,1,0,'first',14,'{"slope": 2.1684074606012884}',7.69540001783752813935e-05);
INSERT INTO "hippo_step" VALUES(11,3,2,0,'first',14,'{"slope": 2.0847657636761037}',3.51559992850525304675e-05);
INSERT INTO "hippo_step" VALUES(11,3,3,0,'first',14,'{"slope": 1.6658477387955193}',3.24399989040102809667e-05);
INSERT INTO "hippo_step" VALUES(12,1,1,0,'first',15,'{"slope": 1.8204734693921991}',9.51879992499016225337e-05);
INSERT INTO "hippo_step" VALUES(12,1,2,0,'first',15,'{"slope": 1.0129464744554324}',6.05130007897969335317e-05);
INSERT INTO "hippo_step" VALUES(12,1,2,1,'check',15,'{}',5.35914999090891797095e-04);
INSERT INTO "hippo_step" VALUES(12,1,1,1,'check',15,'{}',5.35914999090891797095e-04);
INSERT INTO "hippo_step" VALUES(12,1,3,0,'first',15,'{"slope": 0.6506759985261132}',6.15050012129359e-05);
INSERT INTO "hippo_step" VALUES(12,1,3,1,'check',15,'{}',0.000639513000351144);
INSERT INTO "hippo_step" VALUES(12,2,1,0,'first',15,'{"slope": 1.8204734693921991}',6.55420008115470409393e-05);
INSERT INTO "hippo_step" VALUES(12,2,2,0,'first',15,'{"slope": 1.3770411683338724}',3.58270008291583508253e-05);
INSERT INTO "hippo_step" VALUES(12,2,3,0,'first',15,'{"slope": 1.180950517907796}',3.16589994326932355761e-05);
INSERT INTO "hippo_step" VALUES(12,3,1,0,'first',15,'{"slope": 1.8204734693921991}',1.30573000205913558602e-04);
INSERT INTO "hippo_step" VALUES(12,3,2,0,'first',15,'{"slope": 1.1949938213946525}',7.01310000295052304863e-05);
INSERT INTO "hippo_step" VALUES(12,3,3,0,'first',15,'{"slope": 0.8976085235230326}',3.39540001732530072331e-05);
CREATE TABLE hippo_study (
	study BIGINT NOT NULL, 
	name TEXT NOT NULL, 
	generation BIGINT NOT NULL, 
	settings TEXT NOT NULL, 
	created_at FLOAT NOT NULL, 
	deleted BOOLEAN NOT NULL, 
	PRIMARY KEY (study)
);
INSERT INTO "hippo_study" VALUES(1,'changed',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_budget\": 10000000000, \"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"leaves\", \"keep_base\": true, \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "code": {"ToyTrainer.__init__ 0": "cb68ad7223e8da3f", "ToyTrainer.__init__ 0 defaults": "fde4d094cd0d0f13", "ToyTrainer._maybe_raise 0": "7cf5efc1940f1e8d", "ToyTrainer._maybe_raise 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.build 0": "8b8cf67bd32bea75", "ToyTrainer.build 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.evaluate 0": "8252b6ef76803015", "ToyTrainer.evaluate 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.load_state_dict 0": "c922b818e1f4a343", "ToyTrainer.load_state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.setup 0": "2034fcffc5a3dc8f", "ToyTrainer.setup 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.state_dict 0": "7a7d1f3b5b266bd2", "ToyTrainer.state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.train 0": "7b6715b5954a7538", "ToyTrainer.train 0 defaults": "1cd384b1cf67ef02", "bases of ToyTrainer": "400f5612795ecd1d", "function append_line": "ae7abf7b342b83b4", "function append_line defaults": "1cd384b1cf67ef02", "global append_line": "9454dfd1d9db9768", "global os": "ba07f2d3634713da", "global random": "518b65b35a8d34a0", "global threading": "608f85c6b1ff8423"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79535703164677214625e+09,0);
INSERT INTO "hippo_study" VALUES(2,'changed seeds',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_budget\": 10000000000, \"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"leaves\", \"keep_base\": true, \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "code": {"ToyTrainer.__init__ 0": "cb68ad7223e8da3f", "ToyTrainer.__init__ 0 defaults": "fde4d094cd0d0f13", "ToyTrainer._maybe_raise 0": "7cf5efc1940f1e8d", "ToyTrainer._maybe_raise 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.build 0": "8b8cf67bd32bea75", "ToyTrainer.build 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.evaluate 0": "8252b6ef76803015", "ToyTrainer.evaluate 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.load_state_dict 0": "c922b818e1f4a343", "ToyTrainer.load_state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.setup 0": "2034fcffc5a3dc8f", "ToyTrainer.setup 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.state_dict 0": "7a7d1f3b5b266bd2", "ToyTrainer.state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.train 0": "7b6715b5954a7538", "ToyTrainer.train 0 defaults": "1cd384b1cf67ef02", "bases of ToyTrainer": "400f5612795ecd1d", "function append_line": "ae7abf7b342b83b4", "function append_line defaults": "1cd384b1cf67ef02", "global append_line": "9454dfd1d9db9768", "global os": "ba07f2d3634713da", "global random": "518b65b35a8d34a0", "global threading": "608f85c6b1ff8423"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79535703200100302699e+09,0);
INSERT INTO "hippo_study" VALUES(3,'gone',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_budget\": 10000000000, \"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"leaves\", \"keep_base\": true, \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "code": {"ToyTrainer.__init__ 0": "cb68ad7223e8da3f", "ToyTrainer.__init__ 0 defaults": "fde4d094cd0d0f13", "ToyTrainer._maybe_raise 0": "7cf5efc1940f1e8d", "ToyTrainer._maybe_raise 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.build 0": "8b8cf67bd32bea75", "ToyTrainer.build 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.evaluate 0": "8252b6ef76803015", "ToyTrainer.evaluate 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.load_state_dict 0": "c922b818e1f4a343", "ToyTrainer.load_state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.setup 0": "2034fcffc5a3dc8f", "ToyTrainer.setup 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.state_dict 0": "7a7d1f3b5b266bd2", "ToyTrainer.state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.train 0": "7b6715b5954a7538", "ToyTrainer.train 0 defaults": "1cd384b1cf67ef02", "bases of ToyTrainer": "400f5612795ecd1d", "function append_line": "ae7abf7b342b83b4", "function append_line defaults": "1cd384b1cf67ef02", "global append_line": "9454dfd1d9db9768", "global os": "ba07f2d3634713da", "global random": "518b65b35a8d34a0", "global threading": "608f85c6b1ff8423"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79535703241291785241e+09,1);
INSERT INTO "hippo_study" VALUES(4,'gone seeds (seed 0)',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_budget\": 10000000000, \"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"leaves\", \"keep_base\": true, \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "code": {"ToyTrainer.__init__ 0": "cb68ad7223e8da3f", "ToyTrainer.__init__ 0 defaults": "fde4d094cd0d0f13", "ToyTrainer._maybe_raise 0": "7cf5efc1940f1e8d", "ToyTrainer._maybe_raise 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.build 0": "8b8cf67bd32bea75", "ToyTrainer.build 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.evaluate 0": "8252b6ef76803015", "ToyTrainer.evaluate 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.load_state_dict 0": "c922b818e1f4a343", "ToyTrainer.load_state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.setup 0": "2034fcffc5a3dc8f", "ToyTrainer.setup 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.state_dict 0": "7a7d1f3b5b266bd2", "ToyTrainer.state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.train 0": "7b6715b5954a7538", "ToyTrainer.train 0 defaults": "1cd384b1cf67ef02", "bases of ToyTrainer": "400f5612795ecd1d", "function append_line": "ae7abf7b342b83b4", "function append_line defaults": "1cd384b1cf67ef02", "global append_line": "9454dfd1d9db9768", "global os": "ba07f2d3634713da", "global random": "518b65b35a8d34a0", "global threading": "608f85c6b1ff8423"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79535703265116262442e+09,1);
INSERT INTO "hippo_study" VALUES(5,'plain',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_budget\": 10000000000, \"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"leaves\", \"keep_base\": true, \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "code": {"ToyTrainer.__init__ 0": "cb68ad7223e8da3f", "ToyTrainer.__init__ 0 defaults": "fde4d094cd0d0f13", "ToyTrainer._maybe_raise 0": "7cf5efc1940f1e8d", "ToyTrainer._maybe_raise 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.build 0": "8b8cf67bd32bea75", "ToyTrainer.build 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.evaluate 0": "8252b6ef76803015", "ToyTrainer.evaluate 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.load_state_dict 0": "c922b818e1f4a343", "ToyTrainer.load_state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.setup 0": "2034fcffc5a3dc8f", "ToyTrainer.setup 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.state_dict 0": "7a7d1f3b5b266bd2", "ToyTrainer.state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.train 0": "7b6715b5954a7538", "ToyTrainer.train 0 defaults": "1cd384b1cf67ef02", "bases of ToyTrainer": "400f5612795ecd1d", "function append_line": "ae7abf7b342b83b4", "function append_line defaults": "1cd384b1cf67ef02", "global append_line": "9454dfd1d9db9768", "global os": "ba07f2d3634713da", "global random": "518b65b35a8d34a0", "global threading": "608f85c6b1ff8423"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79535703289161062239e+09,0);
INSERT INTO "hippo_study" VALUES(6,'averaged',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_budget\": 10000000000, \"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"leaves\", \"keep_base\": true, \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "code": {"ToyTrainer.__init__ 0": "cb68ad7223e8da3f", "ToyTrainer.__init__ 0 defaults": "fde4d094cd0d0f13", "ToyTrainer._maybe_raise 0": "7cf5efc1940f1e8d", "ToyTrainer._maybe_raise 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.build 0": "8b8cf67bd32bea75", "ToyTrainer.build 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.evaluate 0": "8252b6ef76803015", "ToyTrainer.evaluate 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.load_state_dict 0": "c922b818e1f4a343", "ToyTrainer.load_state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.setup 0": "2034fcffc5a3dc8f", "ToyTrainer.setup 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.state_dict 0": "7a7d1f3b5b266bd2", "ToyTrainer.state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.train 0": "7b6715b5954a7538", "ToyTrainer.train 0 defaults": "1cd384b1cf67ef02", "bases of ToyTrainer": "400f5612795ecd1d", "function append_line": "ae7abf7b342b83b4", "function append_line defaults": "1cd384b1cf67ef02", "global append_line": "9454dfd1d9db9768", "global os": "ba07f2d3634713da", "global random": "518b65b35a8d34a0", "global threading": "608f85c6b1ff8423"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79535703338663578032e+09,0);
INSERT INTO "hippo_study" VALUES(7,'median',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"median\", \"checkpoint_budget\": 10000000000, \"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"leaves\", \"keep_base\": true, \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "code": {"ToyTrainer.__init__ 0": "cb68ad7223e8da3f", "ToyTrainer.__init__ 0 defaults": "fde4d094cd0d0f13", "ToyTrainer._maybe_raise 0": "7cf5efc1940f1e8d", "ToyTrainer._maybe_raise 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.build 0": "8b8cf67bd32bea75", "ToyTrainer.build 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.evaluate 0": "8252b6ef76803015", "ToyTrainer.evaluate 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.load_state_dict 0": "c922b818e1f4a343", "ToyTrainer.load_state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.setup 0": "2034fcffc5a3dc8f", "ToyTrainer.setup 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.state_dict 0": "7a7d1f3b5b266bd2", "ToyTrainer.state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.train 0": "7b6715b5954a7538", "ToyTrainer.train 0 defaults": "1cd384b1cf67ef02", "bases of ToyTrainer": "400f5612795ecd1d", "function append_line": "ae7abf7b342b83b4", "function append_line defaults": "1cd384b1cf67ef02", "global append_line": "9454dfd1d9db9768", "global os": "ba07f2d3634713da", "global random": "518b65b35a8d34a0", "global threading": "608f85c6b1ff8423"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79535703414955377576e+09,0);
INSERT INTO "hippo_study" VALUES(8,'private',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_budget\": 10000000000, \"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"leaves\", \"keep_base\": true, \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": false}", "trainer": {"arguments": {}, "code": {"ToyTrainer.__init__ 0": "cb68ad7223e8da3f", "ToyTrainer.__init__ 0 defaults": "fde4d094cd0d0f13", "ToyTrainer._maybe_raise 0": "7cf5efc1940f1e8d", "ToyTrainer._maybe_raise 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.build 0": "8b8cf67bd32bea75", "ToyTrainer.build 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.evaluate 0": "8252b6ef76803015", "ToyTrainer.evaluate 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.load_state_dict 0": "c922b818e1f4a343", "ToyTrainer.load_state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.setup 0": "2034fcffc5a3dc8f", "ToyTrainer.setup 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.state_dict 0": "7a7d1f3b5b266bd2", "ToyTrainer.state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.train 0": "7b6715b5954a7538", "ToyTrainer.train 0 defaults": "1cd384b1cf67ef02", "bases of ToyTrainer": "400f5612795ecd1d", "function append_line": "ae7abf7b342b83b4", "function append_line defaults": "1cd384b1cf67ef02", "global append_line": "9454dfd1d9db9768", "global os": "ba07f2d3634713da", "global random": "518b65b35a8d34a0", "global threading": "608f85c6b1ff8423"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.7953570349912347793e+09,0);
INSERT INTO "hippo_study" VALUES(9,'failing',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_budget\": 10000000000, \"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"leaves\", \"keep_base\": true, \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {"raise_at": 1, "raise_if": {"lr": 0.2}, "raise_in": "train"}, "code": {"ToyTrainer.__init__ 0": "cb68ad7223e8da3f", "ToyTrainer.__init__ 0 defaults": "fde4d094cd0d0f13", "ToyTrainer._maybe_raise 0": "7cf5efc1940f1e8d", "ToyTrainer._maybe_raise 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.build 0": "8b8cf67bd32bea75", "ToyTrainer.build 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.evaluate 0": "8252b6ef76803015", "ToyTrainer.evaluate 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.load_state_dict 0": "c922b818e1f4a343", "ToyTrainer.load_state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.setup 0": "2034fcffc5a3dc8f", "ToyTrainer.setup 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.state_dict 0": "7a7d1f3b5b266bd2", "ToyTrainer.state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.train 0": "7b6715b5954a7538", "ToyTrainer.train 0 defaults": "1cd384b1cf67ef02", "bases of ToyTrainer": "400f5612795ecd1d", "function append_line": "ae7abf7b342b83b4", "function append_line defaults": "1cd384b1cf67ef02", "global append_line": "9454dfd1d9db9768", "global os": "ba07f2d3634713da", "global random": "518b65b35a8d34a0", "global threading": "608f85c6b1ff8423"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79535703572161340711e+09,0);
INSERT INTO "hippo_study" VALUES(10,'broken',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_budget\": 10000000000, \"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"leaves\", \"keep_base\": true, \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "code": {"ToyTrainer.__init__ 0": "cb68ad7223e8da3f", "ToyTrainer.__init__ 0 defaults": "fde4d094cd0d0f13", "ToyTrainer._maybe_raise 0": "7cf5efc1940f1e8d", "ToyTrainer._maybe_raise 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.build 0": "8b8cf67bd32bea75", "ToyTrainer.build 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.evaluate 0": "8252b6ef76803015", "ToyTrainer.evaluate 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.load_state_dict 0": "c922b818e1f4a343", "ToyTrainer.load_state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.setup 0": "2034fcffc5a3dc8f", "ToyTrainer.setup 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.state_dict 0": "7a7d1f3b5b266bd2", "ToyTrainer.state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.train 0": "7b6715b5954a7538", "ToyTrainer.train 0 defaults": "1cd384b1cf67ef02", "bases of ToyTrainer": "400f5612795ecd1d", "function append_line": "ae7abf7b342b83b4", "function append_line defaults": "1cd384b1cf67ef02", "global append_line": "9454dfd1d9db9768", "global os": "ba07f2d3634713da", "global random": "518b65b35a8d34a0", "global threading": "608f85c6b1ff8423"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79535703661952710146e+09,0);
INSERT INTO "hippo_study" VALUES(11,'loop (seed 0)',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_budget\": 10000000000, \"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"leaves\", \"keep_base\": true, \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "code": {"ToyTrainer.__init__ 0": "cb68ad7223e8da3f", "ToyTrainer.__init__ 0 defaults": "fde4d094cd0d0f13", "ToyTrainer._maybe_raise 0": "7cf5efc1940f1e8d", "ToyTrainer._maybe_raise 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.build 0": "8b8cf67bd32bea75", "ToyTrainer.build 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.evaluate 0": "8252b6ef76803015", "ToyTrainer.evaluate 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.load_state_dict 0": "c922b818e1f4a343", "ToyTrainer.load_state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.setup 0": "2034fcffc5a3dc8f", "ToyTrainer.setup 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.state_dict 0": "7a7d1f3b5b266bd2", "ToyTrainer.state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.train 0": "7b6715b5954a7538", "ToyTrainer.train 0 defaults": "1cd384b1cf67ef02", "bases of ToyTrainer": "400f5612795ecd1d", "function append_line": "ae7abf7b342b83b4", "function append_line defaults": "1cd384b1cf67ef02", "global append_line": "9454dfd1d9db9768", "global os": "ba07f2d3634713da", "global random": "518b65b35a8d34a0", "global threading": "608f85c6b1ff8423"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79535703695794987676e+09,0);
INSERT INTO "hippo_study" VALUES(12,'loop (seed 1)',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_budget\": 10000000000, \"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"leaves\", \"keep_base\": true, \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "code": {"ToyTrainer.__init__ 0": "cb68ad7223e8da3f", "ToyTrainer.__init__ 0 defaults": "fde4d094cd0d0f13", "ToyTrainer._maybe_raise 0": "7cf5efc1940f1e8d", "ToyTrainer._maybe_raise 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.build 0": "8b8cf67bd32bea75", "ToyTrainer.build 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.evaluate 0": "8252b6ef76803015", "ToyTrainer.evaluate 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.load_state_dict 0": "c922b818e1f4a343", "ToyTrainer.load_state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.setup 0": "2034fcffc5a3dc8f", "ToyTrainer.setup 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.state_dict 0": "7a7d1f3b5b266bd2", "ToyTrainer.state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.train 0": "7b6715b5954a7538", "ToyTrainer.train 0 defaults": "1cd384b1cf67ef02", "bases of ToyTrainer": "400f5612795ecd1d", "function append_line": "ae7abf7b342b83b4", "function append_line defaults": "1cd384b1cf67ef02", "global append_line": "9454dfd1d9db9768", "global os": "ba07f2d3634713da", "global random": "518b65b35a8d34a0", "global threading": "608f85c6b1ff8423"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79535703723293805123e+09,0);
INSERT INTO "hippo_study" VALUES(13,'alone (seed 5)',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_budget\": 10000000000, \"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"leaves\", \"keep_base\": true, \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "code": {"ToyTrainer.__init__ 0": "cb68ad7223e8da3f", "ToyTrainer.__init__ 0 defaults": "fde4d094cd0d0f13", "ToyTrainer._maybe_raise 0": "7cf5efc1940f1e8d", "ToyTrainer._maybe_raise 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.build 0": "8b8cf67bd32bea75", "ToyTrainer.build 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.evaluate 0": "8252b6ef76803015", "ToyTrainer.evaluate 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.load_state_dict 0": "c922b818e1f4a343", "ToyTrainer.load_state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.setup 0": "2034fcffc5a3dc8f", "ToyTrainer.setup 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.state_dict 0": "7a7d1f3b5b266bd2", "ToyTrainer.state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.train 0": "7b6715b5954a7538", "ToyTrainer.train 0 defaults": "1cd384b1cf67ef02", "bases of ToyTrainer": "400f5612795ecd1d", "function append_line": "ae7abf7b342b83b4", "function append_line defaults": "1cd384b1cf67ef02", "global append_line": "9454dfd1d9db9768", "global os": "ba07f2d3634713da", "global random": "518b65b35a8d34a0", "global threading": "608f85c6b1ff8423"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79535703761334729192e+09,0);
INSERT INTO "hippo_study" VALUES(14,'changed',2,'{"checkpoints": "memory://", "opened": 1, "settings": "{\"aggregate\": \"mean\", \"checkpoint_budget\": 10000000000, \"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"leaves\", \"keep_base\": true, \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "code": {"ToyTrainer.__init__ 0": "cb68ad7223e8da3f", "ToyTrainer.__init__ 0 defaults": "fde4d094cd0d0f13", "ToyTrainer._maybe_raise 0": "7cf5efc1940f1e8d", "ToyTrainer._maybe_raise 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.build 0": "8b8cf67bd32bea75", "ToyTrainer.build 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.evaluate 0": "8252b6ef76803015", "ToyTrainer.evaluate 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.load_state_dict 0": "c922b818e1f4a343", "ToyTrainer.load_state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.setup 0": "2034fcffc5a3dc8f", "ToyTrainer.setup 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.state_dict 0": "7a7d1f3b5b266bd2", "ToyTrainer.state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.train 0": "7b6715b5954a7538", "ToyTrainer.train 0 defaults": "1cd384b1cf67ef02", "bases of ToyTrainer": "400f5612795ecd1d", "function append_line": "ae7abf7b342b83b4", "function append_line defaults": "1cd384b1cf67ef02", "global append_line": "9454dfd1d9db9768", "global os": "ba07f2d3634713da", "global random": "518b65b35a8d34a0", "global threading": "608f85c6b1ff8423"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79535703804613637922e+09,0);
INSERT INTO "hippo_study" VALUES(15,'changed seeds',2,'{"checkpoints": "memory://", "opened": 1, "settings": "{\"aggregate\": \"mean\", \"checkpoint_budget\": 10000000000, \"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"leaves\", \"keep_base\": true, \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "code": {"ToyTrainer.__init__ 0": "cb68ad7223e8da3f", "ToyTrainer.__init__ 0 defaults": "fde4d094cd0d0f13", "ToyTrainer._maybe_raise 0": "7cf5efc1940f1e8d", "ToyTrainer._maybe_raise 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.build 0": "8b8cf67bd32bea75", "ToyTrainer.build 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.evaluate 0": "8252b6ef76803015", "ToyTrainer.evaluate 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.load_state_dict 0": "c922b818e1f4a343", "ToyTrainer.load_state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.setup 0": "2034fcffc5a3dc8f", "ToyTrainer.setup 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.state_dict 0": "7a7d1f3b5b266bd2", "ToyTrainer.state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.train 0": "7b6715b5954a7538", "ToyTrainer.train 0 defaults": "1cd384b1cf67ef02", "bases of ToyTrainer": "400f5612795ecd1d", "function append_line": "ae7abf7b342b83b4", "function append_line defaults": "1cd384b1cf67ef02", "global append_line": "9454dfd1d9db9768", "global os": "ba07f2d3634713da", "global random": "518b65b35a8d34a0", "global threading": "608f85c6b1ff8423"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.7953570384891569615e+09,0);
CREATE TABLE hippo_studyplan (
	study BIGINT NOT NULL, 
	member VARCHAR(255) NOT NULL, 
	"plan" BIGINT NOT NULL, 
	position BIGINT NOT NULL, 
	PRIMARY KEY (study, member)
);
INSERT INTO "hippo_studyplan" VALUES(1,'',1,0);
INSERT INTO "hippo_studyplan" VALUES(2,'seed 0',1,0);
INSERT INTO "hippo_studyplan" VALUES(2,'seed 1',2,1);
INSERT INTO "hippo_studyplan" VALUES(3,'',1,0);
INSERT INTO "hippo_studyplan" VALUES(4,'',1,0);
INSERT INTO "hippo_studyplan" VALUES(5,'',1,0);
INSERT INTO "hippo_studyplan" VALUES(6,'seed 0',1,0);
INSERT INTO "hippo_studyplan" VALUES(6,'seed 1',2,1);
INSERT INTO "hippo_studyplan" VALUES(7,'seed 10',3,0);
INSERT INTO "hippo_studyplan" VALUES(7,'seed 9',4,1);
INSERT INTO "hippo_studyplan" VALUES(7,'seed 2',5,2);
INSERT INTO "hippo_studyplan" VALUES(8,'seed 0',6,0);
INSERT INTO "hippo_studyplan" VALUES(8,'seed 1',7,1);
INSERT INTO "hippo_studyplan" VALUES(9,'seed 0',8,0);
INSERT INTO "hippo_studyplan" VALUES(9,'seed 1',9,1);
INSERT INTO "hippo_studyplan" VALUES(10,'seed 0',1,0);
INSERT INTO "hippo_studyplan" VALUES(10,'seed 1',2,1);
INSERT INTO "hippo_studyplan" VALUES(11,'',1,0);
INSERT INTO "hippo_studyplan" VALUES(12,'',2,0);
INSERT INTO "hippo_studyplan" VALUES(13,'',10,0);
INSERT INTO "hippo_studyplan" VALUES(14,'',11,0);
INSERT INTO "hippo_studyplan" VALUES(15,'seed 0',11,0);
INSERT INTO "hippo_studyplan" VALUES(15,'seed 1',12,1);
CREATE TABLE hippo_totals (
	"plan" BIGINT NOT NULL, 
	study BIGINT NOT NULL, 
	kind VARCHAR(255) NOT NULL, 
	count BIGINT NOT NULL, 
	seconds FLOAT NOT NULL, 
	furthest BIGINT NOT NULL, 
	mark BIGINT NOT NULL, 
	PRIMARY KEY ("plan", study, kind)
);
CREATE TABLE hippo_trial (
	study BIGINT NOT NULL, 
	number BIGINT NOT NULL, 
	member VARCHAR(255) NOT NULL, 
	call BIGINT NOT NULL, 
	config TEXT NOT NULL, 
	occurrence BIGINT NOT NULL, 
	node BIGINT NOT NULL, 
	until BIGINT NOT NULL, 
	step BIGINT NOT NULL, 
	state TEXT NOT NULL, 
	loss FLOAT, 
	error TEXT NOT NULL, 
	PRIMARY KEY (study, number, member)
);
INSERT INTO "hippo_trial" VALUES(1,0,'',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,2,2,'COMPLETE',7.67991495898189491242e-01,'');
INSERT INTO "hippo_trial" VALUES(1,1,'',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,2,2,'COMPLETE',2.08104129004813209746e+00,'');
INSERT INTO "hippo_trial" VALUES(1,2,'',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,2,2,'COMPLETE',1.30592386278277072797e+00,'');
INSERT INTO "hippo_trial" VALUES(2,0,'seed 0',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,2,2,'COMPLETE',7.67991495898189491242e-01,'');
INSERT INTO "hippo_trial" VALUES(2,0,'seed 1',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,2,2,'COMPLETE',3.46702726700412355853e-01,'');
INSERT INTO "hippo_trial" VALUES(2,1,'seed 0',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,2,2,'COMPLETE',2.08104129004813209746e+00,'');
INSERT INTO "hippo_trial" VALUES(2,1,'seed 1',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,2,2,'COMPLETE',8.40791501404191121693e-01,'');
INSERT INTO "hippo_trial" VALUES(2,2,'seed 0',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,2,2,'COMPLETE',1.30592386278277072797e+00,'');
INSERT INTO "hippo_trial" VALUES(2,2,'seed 1',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,2,2,'COMPLETE',5.48236506016316904599e-01,'');
INSERT INTO "hippo_trial" VALUES(3,0,'',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,2,2,'COMPLETE',7.67991495898189491242e-01,'');
INSERT INTO "hippo_trial" VALUES(3,1,'',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,2,2,'COMPLETE',2.08104129004813209746e+00,'');
INSERT INTO "hippo_trial" VALUES(3,2,'',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,2,2,'COMPLETE',1.30592386278277072797e+00,'');
INSERT INTO "hippo_trial" VALUES(4,0,'',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,2,2,'COMPLETE',7.67991495898189491242e-01,'');
INSERT INTO "hippo_trial" VALUES(4,1,'',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,2,2,'COMPLETE',2.08104129004813209746e+00,'');
INSERT INTO "hippo_trial" VALUES(4,2,'',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,2,2,'COMPLETE',1.30592386278277072797e+00,'');
INSERT INTO "hippo_trial" VALUES(5,0,'',0,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,5,8,8,'COMPLETE',5.36679917211631773987e-01,'');
INSERT INTO "hippo_trial" VALUES(5,1,'',0,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,4,2,2,'PRUNED',7.67991495898189602264e-01,'');
INSERT INTO "hippo_trial" VALUES(5,2,'',0,'{"lr": {"arguments": {"value": 0.3}, "sequence": "Constant"}}',0,4,2,2,'PRUNED',7.67991495898189602264e-01,'');
INSERT INTO "hippo_trial" VALUES(5,3,'',1,'{"lr": {"arguments": {"value": 0.25}, "sequence": "Constant"}}',0,6,3,3,'COMPLETE',5.3663966915495964205e-01,'');
INSERT INTO "hippo_trial" VALUES(5,4,'',2,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,4,4,'COMPLETE',2.23213293678280799703e-01,'');
INSERT INTO "hippo_trial" VALUES(5,5,'',2,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,4,4,'COMPLETE',1.39502269722085259218e+00,'');
INSERT INTO "hippo_trial" VALUES(5,6,'',2,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,4,4,'COMPLETE',5.75038785924799844551e-01,'');
INSERT INTO "hippo_trial" VALUES(6,0,'seed 0',0,'{"lr": {"arguments": {"value": 0.8}, "sequence": "Constant"}}',0,7,4,4,'COMPLETE',2.97294671509526035879e-02,'');
INSERT INTO "hippo_trial" VALUES(6,0,'seed 1',0,'{"lr": {"arguments": {"value": 0.8}, "sequence": "Constant"}}',0,4,4,4,'COMPLETE',1.47709626774003947857e-02,'');
INSERT INTO "hippo_trial" VALUES(6,1,'seed 0',0,'{"lr": {"arguments": {"value": 0.7000000000000001}, "sequence": "Constant"}}',0,8,2,2,'PRUNED',2.83731800532720547514e-02,'');
INSERT INTO "hippo_trial" VALUES(6,1,'seed 1',0,'{"lr": {"arguments": {"value": 0.7000000000000001}, "sequence": "Constant"}}',0,5,2,2,'PRUNED',5.84779541630101734606e-02,'');
INSERT INTO "hippo_trial" VALUES(6,2,'seed 0',0,'{"lr": {"arguments": {"value": 0.6000000000000001}, "sequence": "Constant"}}',0,9,2,2,'PRUNED',8.11459959902893629424e-02,'');
INSERT INTO "hippo_trial" VALUES(6,2,'seed 1',0,'{"lr": {"arguments": {"value": 0.6000000000000001}, "sequence": "Constant"}}',0,6,2,2,'PRUNED',8.36383398944945816166e-02,'');
INSERT INTO "hippo_trial" VALUES(6,3,'seed 0',0,'{"lr": {"arguments": {"value": 0.5}, "sequence": "Constant"}}',0,10,4,4,'COMPLETE',3.75809936623116500054e-02,'');
INSERT INTO "hippo_trial" VALUES(6,3,'seed 1',0,'{"lr": {"arguments": {"value": 0.5}, "sequence": "Constant"}}',0,7,4,4,'COMPLETE',2.52980538100900827214e-02,'');
INSERT INTO "hippo_trial" VALUES(6,4,'seed 0',0,'{"lr": {"arguments": {"value": 0.4}, "sequence": "Constant"}}',0,11,2,2,'PRUNED',4.14370506144176198315e-01,'');
INSERT INTO "hippo_trial" VALUES(6,4,'seed 1',0,'{"lr": {"arguments": {"value": 0.4}, "sequence": "Constant"}}',0,8,2,2,'PRUNED',2.14043241468818923323e-01,'');
INSERT INTO "hippo_trial" VALUES(6,5,'seed 0',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,2,2,'PRUNED',7.67991495898189491242e-01,'');
INSERT INTO "hippo_trial" VALUES(6,5,'seed 1',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,2,2,'PRUNED',3.46702726700412355853e-01,'');
INSERT INTO "hippo_trial" VALUES(6,6,'seed 0',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,4,4,'COMPLETE',5.75038785924799844551e-01,'');
INSERT INTO "hippo_trial" VALUES(6,6,'seed 1',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,4,4,'COMPLETE',2.57630818854511778326e-01,'');
INSERT INTO "hippo_trial" VALUES(6,7,'seed 0',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,2,2,'PRUNED',2.08104129004813209746e+00,'');
INSERT INTO "hippo_trial" VALUES(6,7,'seed 1',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,2,2,'PRUNED',8.40791501404191121693e-01,'');
INSERT INTO "hippo_trial" VALUES(6,8,'seed 0',1,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,5,8,8,'COMPLETE',5.36679917211631773987e-01,'');
INSERT INTO "hippo_trial" VALUES(6,8,'seed 1',1,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,10,8,8,'COMPLETE',2.49982710010650699405e-01,'');
INSERT INTO "hippo_trial" VALUES(6,9,'seed 0',1,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,4,2,2,'PRUNED',7.67991495898189602264e-01,'');
INSERT INTO "hippo_trial" VALUES(6,9,'seed 1',1,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,9,2,2,'PRUNED',3.46702726700412466875e-01,'');
INSERT INTO "hippo_trial" VALUES(6,10,'seed 0',1,'{"lr": {"arguments": {"value": 0.3}, "sequence": "Constant"}}',0,4,2,2,'PRUNED',7.67991495898189602264e-01,'');
INSERT INTO "hippo_trial" VALUES(6,10,'seed 1',1,'{"lr": {"arguments": {"value": 0.3}, "sequence": "Constant"}}',0,9,2,2,'PRUNED',3.46702726700412466875e-01,'');
INSERT INTO "hippo_trial" VALUES(6,11,'seed 0',2,'{"lr": {"arguments": {"value": 0.25}, "sequence": "Constant"}}',0,6,3,3,'COMPLETE',5.3663966915495964205e-01,'');
INSERT INTO "hippo_trial" VALUES(6,11,'seed 1',2,'{"lr": {"arguments": {"value": 0.25}, "sequence": "Constant"}}',0,11,3,3,'COMPLETE',2.88935521222246749495e-01,'');
INSERT INTO "hippo_trial" VALUES(7,0,'seed 10',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,2,6,6,'COMPLETE',1.33690055788047601481e-01,'');
INSERT INTO "hippo_trial" VALUES(7,0,'seed 9',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,2,6,6,'COMPLETE',2.66189359571479211563e-01,'');
INSERT INTO "hippo_trial" VALUES(7,0,'seed 2',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,2,6,6,'COMPLETE',1.63811975665471093455e-01,'');
INSERT INTO "hippo_trial" VALUES(7,1,'seed 10',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [3]}, "sequence": "MultiStep"}}',0,3,6,6,'COMPLETE',0.0938679365487936,'');
INSERT INTO "hippo_trial" VALUES(7,1,'seed 9',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [3]}, "sequence": "MultiStep"}}',0,3,6,6,'COMPLETE',1.84298607178509932236e-01,'');
INSERT INTO "hippo_trial" VALUES(7,1,'seed 2',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [3]}, "sequence": "MultiStep"}}',0,3,6,6,'COMPLETE',1.21094118427294880624e-01,'');
INSERT INTO "hippo_trial" VALUES(7,2,'seed 10',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,4,6,6,'COMPLETE',0.0700027185796051,'');
INSERT INTO "hippo_trial" VALUES(7,2,'seed 9',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,4,6,6,'COMPLETE',1.24971060851245693856e-01,'');
INSERT INTO "hippo_trial" VALUES(7,2,'seed 2',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,4,6,6,'COMPLETE',9.4582694223057164895e-02,'');
INSERT INTO "hippo_trial" VALUES(7,3,'seed 10',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [5]}, "sequence": "MultiStep"}}',0,5,6,6,'COMPLETE',5.08988176774122780265e-02,'');
INSERT INTO "hippo_trial" VALUES(7,3,'seed 9',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [5]}, "sequence": "MultiStep"}}',0,5,6,6,'COMPLETE',8.98643498335482404648e-02,'');
INSERT INTO "hippo_trial" VALUES(7,3,'seed 2',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [5]}, "sequence": "MultiStep"}}',0,5,6,6,'COMPLETE',7.76072621137675194846e-02,'');
INSERT INTO "hippo_trial" VALUES(7,4,'seed 10',1,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,6,4,4,'COMPLETE',1.30757502192459296175e-01,'');
INSERT INTO "hippo_trial" VALUES(7,4,'seed 9',1,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,6,4,4,'COMPLETE',2.3358475248968940674e-01,'');
INSERT INTO "hippo_trial" VALUES(7,4,'seed 2',1,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,6,4,4,'COMPLETE',1.38764190642373469453e-01,'');
INSERT INTO "hippo_trial" VALUES(7,5,'seed 10',1,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,7,4,4,'COMPLETE',9.44504798190313743511e-01,'');
INSERT INTO "hippo_trial" VALUES(7,5,'seed 9',1,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,7,4,4,'COMPLETE',1.72886414607099814233e+00,'');
INSERT INTO "hippo_trial" VALUES(7,5,'seed 2',1,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,7,4,4,'COMPLETE',7.88327548346733797401e-01,'');
INSERT INTO "hippo_trial" VALUES(7,6,'seed 10',1,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,8,4,4,'COMPLETE',3.67052738339105733e-01,'');
INSERT INTO "hippo_trial" VALUES(7,6,'seed 9',1,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,8,4,4,'COMPLETE',0.674444448271187,'');
INSERT INTO "hippo_trial" VALUES(7,6,'seed 2',1,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,8,4,4,'COMPLETE',3.37744321898001131909e-01,'');
INSERT INTO "hippo_trial" VALUES(8,0,'seed 0',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,2,6,6,'COMPLETE',2.26667199277784642275e-01,'');
INSERT INTO "hippo_trial" VALUES(8,0,'seed 1',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,2,6,6,'COMPLETE',9.64900945672641507933e-02,'');
INSERT INTO "hippo_trial" VALUES(8,1,'seed 0',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [3]}, "sequence": "MultiStep"}}',0,4,6,6,'COMPLETE',1.49944231051947735045e-01,'');
INSERT INTO "hippo_trial" VALUES(8,1,'seed 1',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [3]}, "sequence": "MultiStep"}}',0,4,6,6,'COMPLETE',7.42565240515961205725e-02,'');
INSERT INTO "hippo_trial" VALUES(8,2,'seed 0',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,6,6,6,'COMPLETE',1.19647556551142481007e-01,'');
INSERT INTO "hippo_trial" VALUES(8,2,'seed 1',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,6,6,6,'COMPLETE',5.16188940089207931594e-02,'');
INSERT INTO "hippo_trial" VALUES(8,3,'seed 0',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [5]}, "sequence": "MultiStep"}}',0,8,6,6,'COMPLETE',7.5508605687154936592e-02,'');
INSERT INTO "hippo_trial" VALUES(8,3,'seed 1',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [5]}, "sequence": "MultiStep"}}',0,8,6,6,'COMPLETE',2.66668449025996082135e-02,'');
INSERT INTO "hippo_trial" VALUES(8,4,'seed 0',1,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,10,6,6,'COMPLETE',6.07989359678965168853e-01,'');
INSERT INTO "hippo_trial" VALUES(8,4,'seed 1',1,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,10,6,6,'COMPLETE',0.273178385410801,'');
INSERT INTO "hippo_trial" VALUES(8,5,'seed 0',1,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,12,6,6,'COMPLETE',1.98057541203323250744e-01,'');
INSERT INTO "hippo_trial" VALUES(8,5,'seed 1',1,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,12,6,6,'COMPLETE',9.68561733671514379917e-02,'');
INSERT INTO "hippo_trial" VALUES(8,6,'seed 0',1,'{"lr": {"arguments": {"value": 0.3}, "sequence": "Constant"}}',0,13,6,6,'COMPLETE',6.04907179549777213045e-02,'');
INSERT INTO "hippo_trial" VALUES(8,6,'seed 1',1,'{"lr": {"arguments": {"value": 0.3}, "sequence": "Constant"}}',0,13,6,6,'COMPLETE',2.07266119897596343135e-02,'');
INSERT INTO "hippo_trial" VALUES(9,0,'seed 0',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,3,3,'COMPLETE',3.45638270230657129733e-01,'');
INSERT INTO "hippo_trial" VALUES(9,0,'seed 1',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,3,3,'COMPLETE',2.13635367870146281044e-01,'');
INSERT INTO "hippo_trial" VALUES(9,1,'seed 0',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,3,3,'COMPLETE',1.66318777143168805565e+00,'');
INSERT INTO "hippo_trial" VALUES(9,1,'seed 1',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,3,3,'COMPLETE',7.08206289087999762976e-01,'');
INSERT INTO "hippo_trial" VALUES(9,2,'seed 0',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,3,0,'FAIL',NULL,'train() at step 2: ValueError: told to raise in train after 1 steps');
INSERT INTO "hippo_trial" VALUES(9,2,'seed 1',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,3,0,'FAIL',NULL,'train() at step 2: ValueError: told to raise in train after 1 steps');
INSERT INTO "hippo_trial" VALUES(10,0,'seed 0',0,'{"lr": {"arguments": {"value": 0.8}, "sequence": "Constant"}}',0,7,4,4,'PAUSED',2.97294671509526035879e-02,'');
INSERT INTO "hippo_trial" VALUES(10,0,'seed 1',0,'{"lr": {"arguments": {"value": 0.8}, "sequence": "Constant"}}',0,4,4,4,'PAUSED',1.47709626774003947857e-02,'');
INSERT INTO "hippo_trial" VALUES(10,1,'seed 0',0,'{"lr": {"arguments": {"value": 0.7000000000000001}, "sequence": "Constant"}}',0,8,2,2,'PAUSED',2.83731800532720547514e-02,'');
INSERT INTO "hippo_trial" VALUES(10,1,'seed 1',0,'{"lr": {"arguments": {"value": 0.7000000000000001}, "sequence": "Constant"}}',0,5,2,2,'PAUSED',5.84779541630101734606e-02,'');
INSERT INTO "hippo_trial" VALUES(10,2,'seed 0',0,'{"lr": {"arguments": {"value": 0.6000000000000001}, "sequence": "Constant"}}',0,9,2,2,'PAUSED',8.11459959902893629424e-02,'');
INSERT INTO "hippo_trial" VALUES(10,2,'seed 1',0,'{"lr": {"arguments": {"value": 0.6000000000000001}, "sequence": "Constant"}}',0,6,2,2,'PAUSED',8.36383398944945816166e-02,'');
INSERT INTO "hippo_trial" VALUES(10,3,'seed 0',0,'{"lr": {"arguments": {"value": 0.5}, "sequence": "Constant"}}',0,10,2,2,'PAUSED',1.98702824463176247471e-01,'');
INSERT INTO "hippo_trial" VALUES(10,3,'seed 1',0,'{"lr": {"arguments": {"value": 0.5}, "sequence": "Constant"}}',0,7,2,2,'PAUSED',1.31486903251190723196e-01,'');
INSERT INTO "hippo_trial" VALUES(11,0,'',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,3,3,'COMPLETE',3.45638270230657129733e-01,'');
INSERT INTO "hippo_trial" VALUES(11,1,'',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,3,3,'COMPLETE',1.66318777143168805565e+00,'');
INSERT INTO "hippo_trial" VALUES(11,2,'',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,3,3,'COMPLETE',8.04514625030380292614e-01,'');
INSERT INTO "hippo_trial" VALUES(12,0,'',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,3,3,'COMPLETE',2.13635367870146281044e-01,'');
INSERT INTO "hippo_trial" VALUES(12,1,'',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,3,3,'COMPLETE',7.08206289087999762976e-01,'');
INSERT INTO "hippo_trial" VALUES(12,2,'',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,3,3,'COMPLETE',3.90969371771953733141e-01,'');
INSERT INTO "hippo_trial" VALUES(13,0,'',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,3,3,'COMPLETE',3.53827371313222671656e-01,'');
INSERT INTO "hippo_trial" VALUES(13,1,'',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,3,3,'COMPLETE',1.51430391728925428651e+00,'');
INSERT INTO "hippo_trial" VALUES(13,2,'',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,3,3,'COMPLETE',7.62230500362588214713e-01,'');
INSERT INTO "hippo_trial" VALUES(14,0,'',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,3,3,'COMPLETE',3.45638270230657129733e-01,'');
INSERT INTO "hippo_trial" VALUES(14,1,'',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,3,3,'COMPLETE',1.66318777143168805565e+00,'');
INSERT INTO "hippo_trial" VALUES(14,2,'',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,3,3,'COMPLETE',8.04514625030380292614e-01,'');
INSERT INTO "hippo_trial" VALUES(15,0,'seed 0',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,3,3,'COMPLETE',3.45638270230657129733e-01,'');
INSERT INTO "hippo_trial" VALUES(15,0,'seed 1',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,3,3,'COMPLETE',2.13635367870146281044e-01,'');
INSERT INTO "hippo_trial" VALUES(15,1,'seed 0',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,3,3,'COMPLETE',1.66318777143168805565e+00,'');
INSERT INTO "hippo_trial" VALUES(15,1,'seed 1',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,3,3,'COMPLETE',7.08206289087999762976e-01,'');
INSERT INTO "hippo_trial" VALUES(15,2,'seed 0',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,3,3,'COMPLETE',8.04514625030380292614e-01,'');
INSERT INTO "hippo_trial" VALUES(15,2,'seed 1',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,3,3,'COMPLETE',3.90969371771953733141e-01,'');
CREATE INDEX hippo_node_by_digest ON hippo_node ("plan", digest, node);
CREATE INDEX hippo_checkpoint_by_node ON hippo_checkpoint ("plan", node);
CREATE INDEX hippo_failure_by_node ON hippo_failure ("plan", node);
CREATE INDEX hippo_lease_by_end ON hippo_lease ("plan", ended, lease);
CREATE INDEX hippo_call_by_position ON hippo_call (study, position);
CREATE INDEX hippo_trial_by_call ON hippo_trial (study, call);
CREATE INDEX hippo_trial_by_loss ON hippo_trial (study, state, loss, number, call, step);
CREATE INDEX hippo_request_by_call ON hippo_request (study, call);
COMMIT;
